import type { TextPart } from "../../../lib/edit/edits.ts";
import type { CaretPlace } from "../../../lib/edit/history.ts";
import type { Replica } from "../../../lib/replica.ts";
import type { InlineEditor } from "../../editor/inline-editor.ts";
import { Cell } from "../../state/source.ts";
import { keyOf, type RowId, viaOf } from "../rows/row-id.ts";

/** A caret or a range in one text. Offsets are in UTF-16 units. */
export interface TextFocus {
  readonly kind: "text";
  /** Of its row; of the title that of the zoomed node. */
  readonly id: RowId;
  readonly part: TextPart;
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

/** A wish for the screen; another object for each, even when it is the same place again. */
export interface FocusRequest {
  readonly state: Exclude<FocusState, undefined>;
}

/** Where the caret is and what is selected. The history is told, so that undo brings it back. */
export class Focus {
  readonly state = new Cell<FocusState>(undefined);
  /** What was last asked for by `caret`, `selectText` or `selectNodes`: the screen follows it. */
  readonly asked = new Cell<FocusRequest | undefined>(undefined);
  /** While the mouse selects lines, carets that the browser puts are not the person's. */
  isHeld = false;
  readonly #replica: Replica;
  #find: (id: RowId, part: TextPart) => InlineEditor | undefined = () => undefined;

  constructor(replica: Replica) {
    this.#replica = replica;
  }

  /** Puts the caret into a row, which is scrolled into sight; "start" and "end" of its name. */
  caret(id: RowId, at: number | "start" | "end", part: TextPart = "name"): void {
    const length = this.#replica.edits.text(keyOf(id), part)?.length ?? 0;
    const offset = at === "start" ? 0 : at === "end" ? length : Math.min(at, length);
    this.selectText(id, part, offset, offset);
  }

  /** Selects a range of a text, which is scrolled into sight. */
  selectText(id: RowId, part: TextPart, anchor: number, head: number): void {
    this.#ask({ kind: "text", id, part, anchor, head });
  }

  /** Selects rows: from the first to the last of them, unless other ends are given. */
  selectNodes(ids: readonly RowId[], anchor = ids[0], head = ids.at(-1)): void {
    if (ids.length === 0 || anchor === undefined || head === undefined) return;
    this.#ask({ kind: "nodes", ids, anchor, head });
  }

  /** The person has put the caret there by themselves: nothing needs to follow. */
  noticed(id: RowId, part: TextPart, anchor: number, head: number): void {
    const now = this.state.get();
    const next: TextFocus = { kind: "text", id, part, anchor, head };
    if (this.isHeld || isSamePlace(now, next)) return;
    this.#replica.history.caretAt(caretOf(next));
    this.state.set(next);
  }

  clear(): void {
    this.#replica.history.caretAt(undefined);
    this.state.set(undefined);
  }

  /** The editor with the caret, while it is on the screen. */
  editor(): InlineEditor | undefined {
    const state = this.state.get();
    return state?.kind === "text" ? this.#find(state.id, state.part) : undefined;
  }

  /** Tells where editors on the screen are to be found. */
  findEditors(find: (id: RowId, part: TextPart) => InlineEditor | undefined): void {
    this.#find = find;
  }

  #ask(state: Exclude<FocusState, undefined>): void {
    this.#replica.history.caretAt(caretOf(state));
    this.state.set(state);
    this.asked.set({ state });
  }
}

function caretOf(state: Exclude<FocusState, undefined>): CaretPlace {
  const isText = state.kind === "text";
  const id = isText ? state.id : state.head;
  const via = viaOf(id);
  return {
    key: keyOf(id),
    part: isText ? state.part : "name",
    // Where the lines can't be selected any more the caret is at the end of this one.
    at: isText ? state.head : Infinity,
    ...(via !== "" && { via }),
    ...(!isText && { lines: state.ids }),
  };
}

/** Whether two are one place in one text, or the same selection of nodes, or both nothing. */
export function isSamePlace(a: FocusState, b: FocusState): boolean {
  if (a?.kind !== "text" || b?.kind !== "text") return a === b;
  return a.id === b.id && a.part === b.part && a.anchor === b.anchor && a.head === b.head;
}
