import type { InlineEditor } from "../editor/inline-editor.ts";
import type { Source } from "../state/source.ts";
import type { RowId } from "./row-id.ts";

/** A caret or a range in one text. Offsets are in UTF-16 units. */
export interface TextFocus {
  readonly kind: "text";
  /** Of its row; of the title that of the zoomed node. */
  readonly id: RowId;
  readonly part: "name" | "note";
  readonly anchor: number;
  readonly head: number;
}

/**
 * Whole nodes, in their order: the rows of visible siblings next to each other, or in a search what was
 * found, in whatever lists.
 */
export interface NodeFocus {
  readonly kind: "nodes";
  readonly ids: readonly RowId[];
  /** The row that Shift+Up and Shift+Down move from, and the one they move; selected or leading to it. */
  readonly anchor: RowId;
  readonly head: RowId;
}

export type FocusState = TextFocus | NodeFocus | undefined;

export interface Focus {
  readonly state: Source<FocusState>;
  /** What was last asked for by `caret`, `selectText` or `selectNodes`: the screen follows it. */
  readonly asked: Source<FocusRequest | undefined>;
  /** Puts the caret into a row, which is scrolled into sight; "start" and "end" of its name. */
  caret(id: RowId, at: number | "start" | "end", part?: "name" | "note"): void;
  /** Selects a range of a text, which is scrolled into sight. */
  selectText(id: RowId, part: "name" | "note", anchor: number, head: number): void;
  selectNodes(ids: readonly RowId[], anchor: RowId, head: RowId): void;
  /** The person has put the caret there by themselves: nothing needs to follow. */
  noticed(id: RowId, part: "name" | "note", anchor: number, head: number): void;
  clear(): void;
  /** The editor with the caret, while it is on the screen. */
  editor(): InlineEditor | undefined;
  /** Tells where editors on the screen are to be found. */
  findEditors(find: (id: RowId, part: "name" | "note") => InlineEditor | undefined): void;
}

/** A wish for the screen; another object for each, even when it is the same place again. */
export interface FocusRequest {
  readonly state: Exclude<FocusState, undefined>;
}
