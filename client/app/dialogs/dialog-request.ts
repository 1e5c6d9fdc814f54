import type { NodeKey } from "../../../src/core/node-key.ts";
import type { RowId } from "../outline/rows/row-id.ts";
import type { TextMark } from "../outline/focus/text-mark.ts";

/** The dialogs; at most one is open. */
export type DialogRequest =
  | { readonly kind: "jump" }
  | { readonly kind: "move"; readonly ids: readonly RowId[] }
  | { readonly kind: "palette" }
  | { readonly kind: "trash" }
  /** `file` is what was dropped or pasted; else the person chooses. */
  | { readonly kind: "import"; readonly into: NodeKey; readonly file?: File }
  | { readonly kind: "export"; readonly from: NodeKey }
  | { readonly kind: "settings" }
  | { readonly kind: "help" }
  | { readonly kind: "capture" }
  | { readonly kind: "link"; readonly place: TextMark; readonly href: string }
  /** `id` of the row that shows the place; `value` of the date that is there already, as in the format `d`. */
  | {
      readonly kind: "date";
      readonly id: RowId;
      readonly place: TextMark;
      readonly value?: string;
    }
  | { readonly kind: "star"; readonly key: NodeKey }
  | { readonly kind: "sign_in" };
