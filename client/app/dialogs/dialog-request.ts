import type { NodeKey } from "../../../src/core/node-key.ts";

/** The dialogs; at most one is open. */
export type DialogRequest =
  | { readonly kind: "jump" }
  | { readonly kind: "move"; readonly keys: readonly NodeKey[] }
  | { readonly kind: "palette" }
  | { readonly kind: "trash" }
  | { readonly kind: "import"; readonly into: NodeKey }
  | { readonly kind: "export"; readonly from: NodeKey }
  | { readonly kind: "settings" }
  | { readonly kind: "help" }
  | { readonly kind: "capture" }
  | {
      readonly kind: "link";
      readonly key: NodeKey;
      readonly part: "name" | "note";
      readonly from: number;
      readonly to: number;
      readonly href: string;
    }
  | {
      readonly kind: "date";
      readonly key: NodeKey;
      readonly part: "name" | "note";
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: "star"; readonly key: NodeKey }
  | { readonly kind: "sign_in" };
