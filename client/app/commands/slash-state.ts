import type { NodeKey } from "../../../src/core/node-key.ts";
import type { TextPart } from "../../lib/edit/edits.ts";
import { factsOf } from "../outline/node-facts.ts";
import { markText, rangeOfMark, type TextMark } from "../outline/text-mark.ts";
import { textOfNode } from "../outline/text-of-node.ts";
import { Cell } from "../state/source.ts";
import type { Workspace } from "../state/workspace.ts";
import { type SlashItem, slashItems } from "./slash-items.ts";

/** The slash menu while it is open. */
export interface OpenSlash {
  readonly key: NodeKey;
  readonly part: TextPart;
  /** The slash itself: others may write before it. */
  readonly slash: TextMark;
  /** Where it is in the text, and where the caret is. */
  readonly at: number;
  readonly end: number;
  /** What is typed behind it. */
  readonly query: string;
  readonly items: readonly SlashItem[];
  readonly active: number;
}

type Modifier = "ctrlKey" | "metaKey" | "altKey" | "shiftKey";
type PressedKey = Pick<KeyboardEvent, "key"> & Partial<Pick<KeyboardEvent, Modifier>>;

/** Nobody types more than this to say what they mean. */
const MOST_TYPED = 24;

/** Opens with a slash at the start of a word, follows what is typed behind it, and runs what is chosen. */
export class SlashState {
  readonly open = new Cell<OpenSlash | undefined>(undefined);
  readonly #workspace: Workspace;
  readonly #stop: () => void;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#stop = workspace.focus.state.subscribe(() => this.#followCaret());
  }

  /** Answers how to stop. */
  listen(root: HTMLElement): () => void {
    const onInput = (): void => this.typed();
    root.addEventListener("input", onInput);
    return () => root.removeEventListener("input", onInput);
  }

  close(): void {
    this.#stop();
    this.open.set(undefined);
  }

  /** Something was typed in the text that has the caret. */
  typed(): void {
    const place = this.#place();
    if (place === undefined) return;
    const { key, part, text, caret } = place;
    const open = this.open.get();
    if (open !== undefined) return this.#show(open.slash, caret, text);
    const isAtWord = caret === 1 || /[\s(]/.test(text.charAt(caret - 2));
    const isCode = factsOf(this.#workspace.replica.outline, key).layout === "code-block";
    if (text.charAt(caret - 1) !== "/" || !isAtWord || isCode) return;
    const slash = { key, part, from: caret - 1, to: caret };
    this.#show(markText(this.#workspace.replica, slash), caret, text);
  }

  /** Whether a key was for the menu. With a modifier it is for the line, as always. */
  takeKey(pressed: PressedKey): boolean {
    const open = this.open.get();
    const count = open?.items.length ?? 0;
    if (open === undefined || count === 0) return false;
    const { ctrlKey, metaKey, altKey, shiftKey } = pressed;
    if (ctrlKey === true || metaKey === true || altKey === true || shiftKey === true) return false;
    switch (pressed.key) {
      case "ArrowDown":
        this.open.set({ ...open, active: (open.active + 1) % count });
        return true;
      case "ArrowUp":
        this.open.set({ ...open, active: (open.active + count - 1) % count });
        return true;
      case "Enter":
      case "Tab":
        this.choose(open.active);
        return true;
      case "Escape":
        this.open.set(undefined);
        return true;
      default:
        return false;
    }
  }

  /** Runs an item in the place of what was typed for it: one step of the history. */
  choose(index: number): void {
    const open = this.open.get();
    const item = open?.items[index];
    this.open.set(undefined);
    if (open === undefined || item === undefined) return;
    const { replica, focus, commands } = this.#workspace;
    const at = rangeOfMark(replica, open.slash)?.from;
    if (at === undefined) return;
    const { key, part } = open;
    const { edits, history } = replica;
    history.seal();
    history.step(() => {
      edits.type(key, part, { at, remove: open.end - open.at, insert: "" });
      if (item.kind === "date") {
        edits.type(key, part, { at, remove: 0, insert: item.label, formats: { d: item.mark } });
        const behind = at + item.label.length;
        // What is typed next is no part of the date.
        edits.type(key, part, { at: behind, remove: 0, insert: " ", formats: {} });
        focus.caret(key, behind + 1, part);
        return;
      }
      focus.caret(key, at, part);
      commands.run(item.id);
    });
  }

  #followCaret(): void {
    const open = this.open.get();
    if (open === undefined) return;
    const place = this.#place();
    const isThere = place?.key === open.key && place.part === open.part;
    if (!isThere) this.open.set(undefined);
    else if (place.caret !== open.end) this.#show(open.slash, place.caret, place.text);
  }

  #show(slash: TextMark, end: number, text: string): void {
    const { key, part } = slash;
    const { from: at, to } = rangeOfMark(this.#workspace.replica, slash) ?? { from: 0, to: 0 };
    const query = text.slice(to, end);
    const isInside = at < to && to <= end && query.length <= MOST_TYPED;
    if (!isInside || query.startsWith(" ")) this.open.set(undefined);
    else {
      const last = this.open.get();
      const active = last?.query === query ? last.active : 0;
      const items = slashItems(this.#workspace, query);
      this.open.set({ key, part, slash, at, end, query, items, active });
    }
  }

  #place() {
    const { focus, replica } = this.#workspace;
    const state = focus.state.get();
    if (state?.kind !== "text") return undefined;
    const { key, part } = state;
    const editor = focus.editor();
    if (editor?.isComposing === true) return undefined;
    const text = textOfNode(replica, key, part);
    const caret = editor?.selection()?.head ?? state.head;
    return { key, part, text, caret };
  }
}
