import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Source } from "../state/source.ts";

/** A caret or a range in one text. Offsets are in UTF-16 units. */
export interface TextFocus {
  readonly kind: "text";
  readonly key: NodeKey;
  readonly part: "name" | "note";
  readonly anchor: number;
  readonly head: number;
}

/** Whole nodes: visible siblings next to each other, in their order. */
export interface NodeFocus {
  readonly kind: "nodes";
  readonly keys: readonly NodeKey[];
  /** The one that Shift+Up and Shift+Down move from, and the one they move. */
  readonly anchor: NodeKey;
  readonly head: NodeKey;
}

export type FocusState = TextFocus | NodeFocus | undefined;

export interface Focus {
  readonly state: Source<FocusState>;
  /** Puts the caret into a row, which is scrolled into sight; "start" and "end" of its name. */
  caret(key: NodeKey, at: number | "start" | "end", part?: "name" | "note"): void;
  selectNodes(keys: readonly NodeKey[], anchor: NodeKey, head: NodeKey): void;
  clear(): void;
}
