import type { NodeKey } from "../../../src/core/node-key.ts";
import { hrefOfNode } from "../../../src/core/text/node-link.ts";
import type { Formats } from "../../../src/core/text/rich-text.ts";
import type { TextPart } from "../../lib/edit/edits.ts";
import { formatsForTyping } from "../../lib/edit/typed-text.ts";
import { finishComposing } from "../editor/finish-composing.ts";
import { factsOf } from "../outline/rows/node-facts.ts";
import { keyOf, type RowId } from "../outline/rows/row-id.ts";
import { markText, rangeOfMark, type TextMark } from "../outline/focus/text-mark.ts";
import { textOfNode } from "../outline/focus/text-of-node.ts";
import { TagCounts } from "../sidebar/tag-counts.ts";
import { Cell } from "../state/source.ts";
import type { Workspace } from "../state/workspace.ts";
import { LINK_END, LINK_MARK, LineFinder, linkNameOf } from "./line-links.ts";
import { type SlashItem, slashItems } from "./slash-items.ts";
import { BEGUN_TAG, TAG_MARKS, tagChoice, type TagChoice } from "./tag-items.ts";

/** The menu while it is open. */
export interface OpenSlash {
  readonly id: RowId;
  readonly part: TextPart;
  /** The mark that opened it: others may write before it. */
  readonly slash: TextMark;
  /** Where it is in the text, and where the caret is. */
  readonly at: number;
  readonly end: number;
  /** What is typed behind it. */
  readonly query: string;
  readonly items: readonly SlashItem[];
  /** The item that Enter takes; -1 while it takes none. */
  readonly active: number;
}

/** A caret in a text that is shown. */
interface Place {
  readonly id: RowId;
  readonly key: NodeKey;
  readonly part: TextPart;
  readonly text: string;
  readonly caret: number;
}

type Modifier = "ctrlKey" | "metaKey" | "altKey" | "shiftKey";
type PressedKey = Pick<KeyboardEvent, "key"> & Partial<Pick<KeyboardEvent, Modifier>>;

/** Nobody types more than this to say what they mean. */
const MOST_TYPED = 24;
const MOST_OF_NAME = 80;

/** What a mark ends with. */
const MARKS = ["/", ...TAG_MARKS, LINK_MARK.slice(-1)];

/** How long the mark is behind which the caret stands: `/`, `#` or `@` at the start of a word, or `[[`. */
function markLength(text: string, caret: number): number {
  if (text.endsWith(LINK_MARK, caret)) return LINK_MARK.length;
  const mark = text.charAt(caret - 1);
  const isAtWord = caret === 1 || /[\s(]/.test(text.charAt(caret - 2));
  return isAtWord && (mark === "/" || TAG_MARKS.includes(mark)) ? 1 : 0;
}

/** Opens with one of the marks, follows what is typed behind it, and runs or completes what is chosen. */
export class SlashState {
  readonly open = new Cell<OpenSlash | undefined>(undefined);
  readonly #workspace: Workspace;
  readonly #stops: (() => void)[] = [];
  /** Behind the space that what was completed has brought along. */
  #spaced: { readonly id: RowId; readonly part: TextPart; readonly at: number } | undefined;
  #lines: LineFinder | undefined;
  #tags: TagCounts | undefined;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#stops.push(workspace.focus.state.subscribe(() => this.#followCaret()));
  }

  /** Answers how to stop. */
  listen(root: HTMLElement): () => void {
    const onInput = (event: Event): void => {
      if (this.#mayConcern(event)) this.typed();
    };
    root.addEventListener("input", onInput);
    return () => root.removeEventListener("input", onInput);
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#close();
  }

  /** False for most letters, without a look at the page: they open nothing, and nothing is open. */
  #mayConcern(event: Event): boolean {
    if (this.open.get() !== undefined || this.#spaced !== undefined) return true;
    const isLetter =
      event instanceof InputEvent &&
      (event.inputType === "insertText" || event.inputType === "insertCompositionText");
    return !isLetter || event.data === null || MARKS.includes(event.data.slice(-1));
  }

  /** Something was typed in the text that has the caret. */
  typed(): void {
    const place = this.#place();
    if (place === undefined || this.#isSpacedTwice(place)) return;
    const { id, key, part, text, caret } = place;
    const open = this.open.get();
    if (open !== undefined) return this.#show(open.slash, open.id, caret, text);
    const length = markLength(text, caret);
    const isCode = factsOf(this.#workspace.replica.outline, key).layout === "code-block";
    if (length === 0 || isCode) return;
    const slash = { key, part, from: caret - length, to: caret };
    this.#show(markText(this.#workspace.replica, slash), id, caret, text);
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
        this.open.set({ ...open, active: (Math.max(open.active, 0) + count - 1) % count });
        return true;
      case "Enter":
      case "Tab":
        if (open.active < 0) return false;
        this.choose(open.active);
        return true;
      case "Escape":
        this.#close();
        return true;
      default:
        return false;
    }
  }

  /** Runs an item in the place of what was typed for it: one step of the history. */
  choose(index: number): void {
    // The rest of a word that is composed would be written into what is chosen.
    finishComposing(this.#workspace);
    const open = this.open.get();
    const item = open?.items[index];
    this.#close();
    if (open === undefined || item === undefined) return;
    const { replica, focus, commands } = this.#workspace;
    const at = rangeOfMark(replica, open.slash)?.from;
    if (at === undefined) return;
    const { id, part } = open;
    const key = keyOf(id);
    const { edits, history } = replica;
    const source = edits.text(key, part);
    if (source === undefined) return;
    const remove = open.end - open.at;
    // As what was typed for it is, or else what is typed next would be.
    const around = formatsForTyping(source, at, at + remove);
    const write = (insert: string, own: Formats = {}): void => {
      edits.type(key, part, { at, remove: 0, insert, formats: { ...around, ...own } });
      const end = at + insert.length;
      // What is typed next is no part of it. Whoever goes on finds the space that is there.
      const hasSpace = textOfNode(replica, key, part).charAt(end) === " ";
      if (!hasSpace) edits.type(key, part, { at: end, remove: 0, insert: " ", formats: around });
      this.#spaced = { id, part, at: end + 1 };
      focus.caret(id, end + 1, part);
    };
    history.seal();
    history.step(() => {
      edits.type(key, part, { at, remove, insert: "" });
      switch (item.kind) {
        case "date":
          return write(item.label, { d: item.mark });
        case "tag":
          return write(item.label);
        case "line":
          return write(linkNameOf(replica.outline, item.key), { a: hrefOfNode(item.key) });
        case "command":
          focus.caret(id, at, part);
          commands.run(item.id);
      }
    });
  }

  /** Whoever types the space that is there already has typed none. */
  #isSpacedTwice({ id, key, part, text, caret }: Place): boolean {
    const spaced = this.#spaced;
    // What was completed itself is told once more.
    if (spaced === undefined || (spaced.id === id && spaced.at === caret)) return false;
    this.#spaced = undefined;
    const isNext = spaced.id === id && spaced.part === part && spaced.at + 1 === caret;
    if (!isNext || !/^\s\s$/.test(text.slice(caret - 2, caret))) return false;
    const { replica, focus } = this.#workspace;
    replica.edits.type(key, part, { at: spaced.at, remove: 1, insert: "" });
    focus.caret(id, spaced.at, part);
    return true;
  }

  #followCaret(): void {
    const open = this.open.get();
    if (open === undefined) return;
    const place = this.#place();
    const isThere = place?.id === open.id && place.part === open.part;
    if (!isThere) this.#close();
    else if (place.caret !== open.end) this.#show(open.slash, open.id, place.caret, place.text);
  }

  #show(slash: TextMark, id: RowId, end: number, text: string): void {
    const { key, part } = slash;
    const { from: at, to } = rangeOfMark(this.#workspace.replica, slash) ?? { from: 0, to: 0 };
    const mark = text.slice(at, to);
    const typed = text.slice(to, end);
    const isLink = mark === LINK_MARK;
    const isTag = TAG_MARKS.includes(mark);
    const isWhole = isLink && typed.endsWith(LINK_END);
    const query = isWhole ? typed.slice(0, -LINK_END.length) : typed;
    const most = isLink || isTag ? MOST_OF_NAME : MOST_TYPED;
    const isInside = at < to && to <= end && query.length <= most;
    const isBegun = isTag ? BEGUN_TAG.test(query) : !query.startsWith(" ");
    if (!isInside || !isBegun) return this.#close();
    const last = this.open.get();
    const { items, isMeant } = isTag
      ? this.#tagsFor(mark + query, key)
      : {
          items: isLink ? this.#linesFor(query, key) : slashItems(this.#workspace, query),
          isMeant: true,
        };
    const active = last?.query === query ? last.active : isMeant ? 0 : -1;
    this.open.set({ id, part, slash, at, end, query, items, active });
    if (isWhole) this.#chooseNamed(query);
  }

  #tagsFor(written: string, key: NodeKey): TagChoice {
    if (this.#tags === undefined) {
      this.#tags = TagCounts.of(this.#workspace.replica);
      // The first time they are still being read.
      this.#stops.push(this.#tags.counts.subscribe(() => this.#renewTags()));
    }
    return tagChoice(this.#tags.find(written, key), written);
  }

  #renewTags(): void {
    const open = this.open.get();
    const place = this.#place();
    if (open === undefined || place === undefined) return;
    if (TAG_MARKS.includes(place.text.slice(open.at, open.at + 1)))
      this.#show(open.slash, open.id, open.end, place.text);
  }

  #linesFor(query: string, key: NodeKey): readonly SlashItem[] {
    this.#lines ??= new LineFinder(this.#workspace);
    return this.#lines.items(query, key);
  }

  /** The line that was named as a whole. */
  #chooseNamed(name: string): void {
    const items = this.open.get()?.items ?? [];
    const wanted = name.trim().toLowerCase();
    const index = items.findIndex(({ label }) => label.toLowerCase() === wanted);
    if (index >= 0) this.choose(index);
    else this.#close();
  }

  #close(): void {
    this.#lines?.close();
    this.#lines = undefined;
    this.open.set(undefined);
  }

  #place(): Place | undefined {
    const { focus, replica } = this.#workspace;
    const state = focus.state.get();
    if (state?.kind !== "text") return undefined;
    const { id, part } = state;
    const key = keyOf(id);
    const editor = focus.editor();
    // The keyboards of phones compose every word: the menu follows what is shown of it.
    editor?.keepComposed();
    const text = textOfNode(replica, key, part);
    const caret = editor?.selection()?.head ?? state.head;
    return { id, key, part, text, caret };
  }
}
