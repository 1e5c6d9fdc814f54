import * as Y from "yjs";
import { completedAtOf } from "../node/completion.ts";
import { layoutOf, richTextOfNotes, textLengthOf } from "../node/node-reader.ts";
import type { OutlineView } from "../outline-view.ts";
import { createdAtIn } from "../tree/placement.ts";
import { notesOf, textOf } from "../schema.ts";
import { plainText } from "../text/rich-text.ts";
import type { TreeRow } from "../tree/tree-row.ts";
import { foldInSteps, foldText, PART } from "./fold-text.ts";
import { type LetterPairs, pairsOf } from "./letter-pairs.ts";
import type { Criterion, DateSpan, Query, TimeSpan } from "./query.ts";
import { marksOfNode, NO_MARKS, type TextMarks } from "./text-marks.ts";
import { hasWord, hasWordInSteps, isWord } from "./word-places.ts";
import { firstItem } from "../yjs/inside.ts";

/** Where nodes are read. */
export interface SearchSource {
  readonly outline: OutlineView;
  readonly nodes: Y.Map<Y.Text>;
  /** How often all nodes were let go. */
  readonly clearings: number;
  /** Told how much more, or less, is kept of texts: estimated bytes. */
  keepText(bytes: number): void;
}

/** Between a name and its note: nobody can type it, and no text that is searched for goes across. */
const BEFORE_NOTE = "\u0000";

/** A node as search sees it: what is asked for is read once, and texts are folded then. */
export class SearchedNode {
  readonly row: TreeRow;
  /** Where it stood in the order of nodes that was made last; see `SearchIndex`. */
  at = -1;
  #text: Y.Text | undefined;
  /** Name and note, since most searches are for either: one text is looked through faster than two. */
  #words: string | undefined;
  /** That of the words: to look at them takes a while, where nodes are many. */
  #length: number | undefined;
  #marks: TextMarks | undefined;
  /** What of a query is in long texts, while the node is looked at. */
  #found: ReadonlyMap<Criterion, boolean> | undefined;
  /** How often it has changed. */
  #changes = 0;
  #low = 0;
  #high = 0;
  #createdAt: number | undefined;

  constructor(row: TreeRow) {
    this.row = row;
  }

  /** How long the texts are, folded; undefined as long as they are not read. */
  get length(): number | undefined {
    return this.#length;
  }

  /** Forgets what was read: it has changed. */
  forget(source: SearchSource): void {
    if (this.#words !== undefined) source.keepText(-bytesOf(this.#words));
    if (this.#marks !== undefined) source.keepText(-bytesOfMarks(this.#marks));
    this.#marks = undefined;
    this.#text = undefined;
    this.#words = undefined;
    this.#length = undefined;
    this.#createdAt = undefined;
    this.#changes += 1;
  }

  /** Whether to look at its texts takes longer than a step may. */
  isLong(source: SearchSource): boolean {
    if (this.#length !== undefined) return this.#length > PART;
    const text = this.#textIn(source);
    return text !== undefined && textLengthOf(text) > PART;
  }

  /**
   * Finds out in steps what queries ask of long texts, as they are at the first step, and answers what
   * `test` says, which asks with `matches`.
   */
  *askInSteps<T>(
    queries: readonly Query[],
    source: SearchSource,
    test: () => T,
  ): Generator<void, T> {
    const [changes, clearings] = [this.#changes, source.clearings];
    const words = this.#words ?? (yield* foldInSteps(this.#charactersIn(source)));
    const found = new Map<Criterion, boolean>();
    for (const { groups, inNotes } of queries) {
      const text = inNotes ? noteOf(words) : words;
      for (const { criterion, pairs } of groups.flat()) {
        if (!isWord(criterion)) continue;
        const mayHave = words !== this.#words || this.#mayHave(pairs, source);
        found.set(criterion, mayHave && (yield* hasWordInSteps(text, criterion)));
      }
    }
    const isRead = this.#words === undefined;
    if (isRead) this.#keep(words, source);
    this.#found = found;
    const said = test();
    this.#found = undefined;
    const isPast = changes !== this.#changes || clearings !== source.clearings;
    if (isRead && isPast) this.forget(source);
    return said;
  }

  /** Reads the texts, for a query to come. */
  readTexts(source: SearchSource): void {
    this.#wordsIn(source);
  }

  /** Finds out when the node was changed, for a query to come. */
  readChange(source: SearchSource): void {
    this.modifiedAt(source);
  }

  matches(query: Query, source: SearchSource): boolean {
    for (const group of query.groups) {
      let holds = false;
      for (const { criterion, pairs, isNot } of group) {
        const isFulfilled =
          this.#mayHave(pairs, source) && this.#fulfils(criterion, query.inNotes, source);
        if (isFulfilled !== isNot) {
          holds = true;
          break;
        }
      }
      if (!holds) return false;
    }
    return !query.inNotes || this.#noteIn(source) !== "";
  }

  #fulfils(criterion: Criterion, inNotes: boolean, source: SearchSource): boolean {
    switch (criterion.kind) {
      case "text":
      case "tag":
        return this.#found?.get(criterion) ?? hasWord(this.#searchedIn(source, inNotes), criterion);
      case "note":
        return this.#noteIn(source) !== "";
      case "todo":
        return this.#holds(source, (text) => layoutOf(text) === "todo");
      case "complete":
        return this.#holds(source, (text) => completedAtOf(text) !== null);
      case "link":
        return this.#marksIn(source).hasLink || /https?:\/\//.test(this.#wordsIn(source));
      case "linksTo":
        return this.#marksIn(source).links.has(criterion.target);
      case "date":
        return this.#marksIn(source).dates.size > 0;
      case "due":
        return isAnyIn(criterion.span, this.#marksIn(source).dates);
      case "colour":
        return hasColour(this.#marksIn(source).colours, criterion.colour);
      case "changed":
        return isIn(criterion.span, this.modifiedAt(source));
      case "created":
        return isIn(criterion.span, this.#created());
    }
  }

  #mayHave({ low, high }: LetterPairs, source: SearchSource): boolean {
    if ((low | high) === 0) return true;
    if (this.#words === undefined) this.#wordsIn(source);
    return (this.#low & low) === low && (this.#high & high) === high;
  }

  #searchedIn(source: SearchSource, inNotes: boolean): string {
    return inNotes ? this.#noteIn(source) : this.#wordsIn(source);
  }

  #wordsIn(source: SearchSource): string {
    return this.#words ?? this.#keep(foldText(this.#charactersIn(source)), source);
  }

  #charactersIn(source: SearchSource): string {
    const text = this.#textIn(source);
    const name = text === undefined ? "" : charactersOf(text);
    const hasNotes = text !== undefined && notesOf(text).length > 0;
    const note = hasNotes ? plainText(richTextOfNotes(text)) : "";
    return note === "" ? name : name + BEFORE_NOTE + note;
  }

  #keep(words: string, source: SearchSource): string {
    this.#words = words;
    this.#length = words.length;
    ({ low: this.#low, high: this.#high } = pairsOf(words));
    source.keepText(bytesOf(words));
    return words;
  }

  #noteIn(source: SearchSource): string {
    return noteOf(this.#wordsIn(source));
  }

  #marksIn(source: SearchSource): TextMarks {
    if (this.#marks === undefined) {
      const text = this.#textIn(source);
      this.#marks = text === undefined ? NO_MARKS : marksOfNode(text);
      source.keepText(bytesOfMarks(this.#marks));
    }
    return this.#marks;
  }

  #holds(source: SearchSource, test: (text: Y.Text) => boolean): boolean {
    const text = this.#textIn(source);
    return text !== undefined && test(text);
  }

  #textIn({ nodes }: SearchSource): Y.Text | undefined {
    return (this.#text ??= textOf(nodes, this.row.key));
  }

  #created(): number {
    return (this.#createdAt ??= Math.floor(createdAtIn(this.row.register) / 1000));
  }

  /** Unix seconds. The row has it when it was worked out before. */
  modifiedAt({ outline }: SearchSource): number {
    return this.row.modifiedAt || (outline.modifiedAt(this.row.key) ?? 0);
  }
}

/** A text, its place in a set, and the sets. */
function bytesOfMarks({ links, dates, colours }: TextMarks): number {
  const count = links.size + dates.size + colours.size;
  return count === 0 ? 0 : 600 + 80 * count;
}

function noteOf(words: string): string {
  const end = words.lastIndexOf(BEFORE_NOTE);
  return end < 0 ? "" : words.slice(end + BEFORE_NOTE.length);
}

function bytesOf({ length }: string): number {
  return 2 * length;
}

/** As `toString` of the text, which is several times slower for a short one. */
function charactersOf(text: Y.Text): string {
  let characters = "";
  for (let item = firstItem(text); item !== null; item = item.right) {
    if (!item.deleted && item.content instanceof Y.ContentString) characters += item.content.str;
  }
  return characters;
}

function isAnyIn({ from, to }: DateSpan, dates: Iterable<string>): boolean {
  for (const date of dates) if (date >= from && date < to) return true;
  return false;
}

function hasColour(colours: ReadonlySet<string>, wanted: string | undefined): boolean {
  return wanted === undefined ? colours.size > 0 : colours.has(wanted);
}

function isIn({ from, to }: TimeSpan, seconds: number): boolean {
  return seconds >= from && seconds < to;
}
