import type { TextPart } from "../../lib/edit/edits.ts";
import type { CaretPlace } from "../../lib/edit/history.ts";
import type { Replica } from "../../lib/replica.ts";
import type { InlineEditor } from "../editor/inline-editor.ts";
import { Cell } from "../state/source.ts";
import { keyOf, type RowId, viaOf } from "./row-id.ts";
import type { Focus, FocusRequest, FocusState, TextFocus } from "./focus.ts";

/** Where the caret is and what is selected. The history is told, so that undo brings it back. */
export class LiveFocus implements Focus {
  readonly state = new Cell<FocusState>(undefined);
  readonly asked = new Cell<FocusRequest | undefined>(undefined);
  readonly #replica: Replica;
  #find: (id: RowId, part: TextPart) => InlineEditor | undefined = () => undefined;

  constructor(replica: Replica) {
    this.#replica = replica;
  }

  caret(id: RowId, at: number | "start" | "end", part: TextPart = "name"): void {
    const length = this.#replica.edits.text(keyOf(id), part)?.length ?? 0;
    const offset = at === "start" ? 0 : at === "end" ? length : Math.min(at, length);
    this.selectText(id, part, offset, offset);
  }

  selectText(id: RowId, part: TextPart, anchor: number, head: number): void {
    this.#ask({ kind: "text", id, part, anchor, head });
  }

  selectNodes(ids: readonly RowId[], anchor: RowId, head: RowId): void {
    if (ids.length > 0) this.#ask({ kind: "nodes", ids, anchor, head });
  }

  noticed(id: RowId, part: TextPart, anchor: number, head: number): void {
    const now = this.state.get();
    const next: TextFocus = { kind: "text", id, part, anchor, head };
    if (now?.kind === "text" && isSame(now, next)) return;
    this.#replica.history.caretAt(caretOf(next));
    this.state.set(next);
  }

  clear(): void {
    this.#replica.history.caretAt(undefined);
    this.state.set(undefined);
  }

  editor(): InlineEditor | undefined {
    const state = this.state.get();
    return state?.kind === "text" ? this.#find(state.id, state.part) : undefined;
  }

  findEditors(find: (id: RowId, part: TextPart) => InlineEditor | undefined): void {
    this.#find = find;
  }

  #ask(state: Exclude<FocusState, undefined>): void {
    this.#replica.history.caretAt(state.kind === "text" ? caretOf(state) : undefined);
    this.state.set(state);
    this.asked.set({ state });
  }
}

function caretOf({ id, part, head }: TextFocus): CaretPlace {
  const via = viaOf(id);
  return { key: keyOf(id), part, at: head, ...(via !== "" && { via }) };
}

function isSame(a: TextFocus, b: TextFocus): boolean {
  return a.id === b.id && a.part === b.part && a.anchor === b.anchor && a.head === b.head;
}
