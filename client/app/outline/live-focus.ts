import type { NodeKey } from "../../../src/core/node-key.ts";
import type { TextPart } from "../../lib/edit/edits.ts";
import type { Replica } from "../../lib/replica.ts";
import type { InlineEditor } from "../editor/inline-editor.ts";
import { Cell } from "../state/source.ts";
import type { Focus, FocusRequest, FocusState, TextFocus } from "./focus.ts";

/** Where the caret is and what is selected. The history is told, so that undo brings it back. */
export class LiveFocus implements Focus {
  readonly state = new Cell<FocusState>(undefined);
  readonly asked = new Cell<FocusRequest | undefined>(undefined);
  readonly #replica: Replica;
  #find: (key: NodeKey, part: TextPart) => InlineEditor | undefined = () => undefined;

  constructor(replica: Replica) {
    this.#replica = replica;
  }

  caret(key: NodeKey, at: number | "start" | "end", part: TextPart = "name"): void {
    const length = this.#replica.edits.text(key, part)?.length ?? 0;
    const offset = at === "start" ? 0 : at === "end" ? length : Math.min(at, length);
    this.selectText(key, part, offset, offset);
  }

  selectText(key: NodeKey, part: TextPart, anchor: number, head: number): void {
    this.#ask({ kind: "text", key, part, anchor, head });
  }

  selectNodes(keys: readonly NodeKey[], anchor: NodeKey, head: NodeKey): void {
    if (keys.length > 0) this.#ask({ kind: "nodes", keys, anchor, head });
  }

  noticed(key: NodeKey, part: TextPart, anchor: number, head: number): void {
    const now = this.state.get();
    const next: TextFocus = { kind: "text", key, part, anchor, head };
    if (now?.kind === "text" && isSame(now, next)) return;
    this.#replica.history.caretAt({ key, part, at: head });
    this.state.set(next);
  }

  clear(): void {
    this.#replica.history.caretAt(undefined);
    this.state.set(undefined);
  }

  editor(): InlineEditor | undefined {
    const state = this.state.get();
    return state?.kind === "text" ? this.#find(state.key, state.part) : undefined;
  }

  findEditors(find: (key: NodeKey, part: TextPart) => InlineEditor | undefined): void {
    this.#find = find;
  }

  #ask(state: Exclude<FocusState, undefined>): void {
    const caret =
      state.kind === "text" ? { key: state.key, part: state.part, at: state.head } : undefined;
    this.#replica.history.caretAt(caret);
    this.state.set(state);
    this.asked.set({ state });
  }
}

function isSame(a: TextFocus, b: TextFocus): boolean {
  return a.key === b.key && a.part === b.part && a.anchor === b.anchor && a.head === b.head;
}
