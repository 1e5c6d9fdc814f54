import type { NodeKey } from "../../../src/core/node-key.ts";
import type { InlineEditor } from "../editor/inline-editor.ts";
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
  /** What was last asked for by `caret`, `selectText` or `selectNodes`: the screen follows it. */
  readonly asked: Source<FocusRequest | undefined>;
  /** Puts the caret into a row, which is scrolled into sight; "start" and "end" of its name. */
  caret(key: NodeKey, at: number | "start" | "end", part?: "name" | "note"): void;
  /** Selects a range of a text, which is scrolled into sight. */
  selectText(key: NodeKey, part: "name" | "note", anchor: number, head: number): void;
  selectNodes(keys: readonly NodeKey[], anchor: NodeKey, head: NodeKey): void;
  /** The person has put the caret there by themselves: nothing needs to follow. */
  noticed(key: NodeKey, part: "name" | "note", anchor: number, head: number): void;
  clear(): void;
  /** The editor with the caret, while it is on the screen. */
  editor(): InlineEditor | undefined;
  /** Tells where editors on the screen are to be found. */
  findEditors(find: (key: NodeKey, part: "name" | "note") => InlineEditor | undefined): void;
}

/** A wish for the screen; another object for each, even when it is the same place again. */
export interface FocusRequest {
  readonly state: Exclude<FocusState, undefined>;
}
