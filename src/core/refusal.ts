import type { OutlineFull } from "./room/outline-full.ts";

/** Why an operation on an outline was not done. Nothing has changed then. */
export type Refusal =
  /** The node, the parent, the sibling or the shortcut is not there, or it is deleted. */
  | { readonly kind: "not_found" }
  /** A move or a mirror below the node itself or something in it. */
  | { readonly kind: "invalid_parent" }
  /** A text that can't be a shortcut; `reason` is a sentence. */
  | { readonly kind: "invalid_shortcut"; readonly reason: string }
  /** A setting outside its range; `reason` is a sentence. */
  | { readonly kind: "invalid_setting"; readonly reason: string }
  | OutlineFull;

export type Done = { readonly kind: "ok" };

export const OK: Done = { kind: "ok" };
export const NOT_FOUND: Refusal = { kind: "not_found" };
export const INVALID_PARENT: Refusal = { kind: "invalid_parent" };
