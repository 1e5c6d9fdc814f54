import * as Y from "yjs";
import { getOrMake } from "../get-or-make.ts";
import { parseDeletion } from "../node/deletion-mark.ts";
import { gapOf, KeptText, type LateText } from "./kept-text.ts";
import type { NodeKey } from "../node-key.ts";
import type { Outline } from "../outline.ts";
import { ATTRIBUTE, entryOf, nodesOf, notesOf, ownerOf, textIn, textOf } from "../schema.ts";
import { RunBuilder } from "../text/rich-text.ts";
import type { TextPart } from "../node/text-part.ts";
import { foundAbove, type TreeRow } from "../tree/tree-row.ts";
import { piecesOf, typedIn, type TypedText } from "../node/typed-text.ts";
import type { Unseen } from "./unseen.ts";

/** Text that is to be kept. */
export type LateFinding =
  | Found
  /** Of a line that has been removed from the document. */
  | { readonly source: string; readonly late: LateText };

interface Found {
  readonly row: TreeRow;
  readonly part: TextPart;
  readonly late: LateText;
}

interface Typed extends TypedText {
  readonly key: NodeKey;
  readonly part: TextPart;
}

/** Items that are looked at between two yields. */
const STEP = 2_048;
/** Texts that an update has brought, for each of which it is looked upwards, between two yields. */
const GLANCE = 64;

/**
 * Finds text that somebody typed into a line that is gone for good, and that its deleter had not seen:
 * what an update brings into a line that is gone already, and what is in one when it goes.
 */
export class LateTexts {
  readonly #outline: Outline;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #unseen: Unseen;
  readonly #kept: KeptText;
  /** Rows that were marked deleted for good when they were last looked at. */
  readonly #gone = new WeakSet<TreeRow>();
  /** Whether there was such a row. */
  #hasGone = false;
  /** What the updates since the last run brought [Q40]. */
  #typed: Typed[] = [];
  /** The same of lines of which nothing is known any more [Q40]. */
  #strays: { readonly source: string; readonly late: LateText }[] = [];

  constructor(outline: Outline, unseen: Unseen) {
    this.#outline = outline;
    this.#nodes = nodesOf(outline.doc);
    this.#unseen = unseen;
    this.#kept = new KeptText(outline, this.#nodes);
  }

  get isEmpty(): boolean {
    return this.#typed.length + this.#strays.length === 0;
  }

  /** Takes in what is gone when the outline is opened: what is in it has been looked at. O(deleted). */
  begin(except: ReadonlySet<NodeKey>): void {
    for (const row of this.#outline.tree.deletedRows()) {
      if (isFinal(row) && !except.has(row.key)) this.#noteGone(row);
    }
  }

  /** To be called for each update from outside, when the outline has followed it. */
  observe(transaction: Y.Transaction): void {
    if (this.#outline.tree.deletedRows().size === 0 && !this.#hasGone) return;
    const texts = new Map<Y.Text, { readonly key: NodeKey; readonly part: TextPart }>();
    const known = new Map<TreeRow, boolean>();
    for (const [type, names] of transaction.changed) {
      const text: unknown = type;
      if (!(text instanceof Y.Text)) continue;
      const owner = ownerOf(this.#nodes, text);
      const row = owner && this.#outline.tree.rowAt(owner.key);
      if (owner === undefined || row === undefined) continue;
      if (!this.#mayBeGone(row, known)) continue;
      const { key, isNode } = owner;
      if (names.has(null)) texts.set(text, { key, part: isNode ? "name" : "note" });
      // A note that is new says of itself that nothing in it has changed.
      for (const name of names) {
        const note = isNode && name?.startsWith(ATTRIBUTE.notePrefix) && entryOf(text, name);
        const began = note ? textIn(note) : undefined;
        if (began !== undefined) texts.set(began, { key, part: "note" });
      }
    }
    if (texts.size === 0) return;
    for (const typed of typedIn(transaction, new Set(texts.keys()))) {
      const place = texts.get(typed.text);
      if (place !== undefined) this.#typed.push({ ...typed, ...place });
    }
  }

  /** Takes in text that came for a line of which nothing is known any more. */
  noteStray(source: string, late: LateText): void {
    this.#strays.push({ source, late });
  }

  /**
   * What is to be kept of all that came since this was last asked.
   * @param placed rows that are placed or marked otherwise than before
   */
  *find(placed: readonly TreeRow[]): Generator<void, readonly LateFinding[]> {
    const strays = this.#strays;
    const typed = this.#typed;
    this.#strays = [];
    this.#typed = [];
    const searched = new Set<NodeKey>();
    const found: Found[] = [];
    for (const row of placed) yield* this.#findIn(row, searched, found);
    for (const [index, { key, part, ...late }] of typed.entries()) {
      if (index % GLANCE === GLANCE - 1) yield;
      const row = this.#outline.tree.rowAt(key);
      const deletion = row && this.#unseen.finalDeletionOf(row);
      if (row === undefined || deletion === undefined || searched.has(key)) continue;
      if (late.first.clock >= deletion.seenEnd(late.first.client)) found.push({ row, part, late });
    }
    return [...strays, ...together(found)];
  }

  /**
   * Keeps what was found, but for what is in a line that has been brought back meanwhile. Inside a
   * transaction.
   * @returns false when there is no room for it
   */
  write(finding: LateFinding): boolean {
    if ("source" in finding) return this.#kept.keepStray(finding.source, finding.late);
    const { row, part, late } = finding;
    if (this.#unseen.finalDeletionOf(row) === undefined) return true;
    return this.#kept.keep(row, part, late);
  }

  #noteGone(row: TreeRow): void {
    this.#gone.add(row);
    this.#hasGone = true;
  }

  /**
   * Whether a row may be gone for good, or was until an update wrote another mark over that.
   * @param known what was found already
   */
  #mayBeGone(row: TreeRow, known: Map<TreeRow, boolean>): boolean {
    return foundAbove(row, known, (up) => isFinal(up) || this.#gone.has(up) || undefined, false);
  }

  /** Looks into what has just gone with a row, where its deleter may not have seen all of it. */
  *#findIn(top: TreeRow, searched: Set<NodeKey>, found: Found[]): Generator<void> {
    if (!isFinal(top)) {
      this.#gone.delete(top);
      return;
    }
    if (this.#gone.has(top)) return;
    this.#noteGone(top);
    const { parent } = top;
    if (parent !== undefined && this.#unseen.finalDeletionOf(parent) !== undefined) return;
    const deletion = this.#unseen.finalDeletionOf(top);
    if (deletion === undefined || deletion.hasSeenAll) return;
    const seenEnds = new Map<number, number>();
    const wantedFrom = ({ id, length }: Y.Item): number => {
      const end = getOrMake(seenEnds, id.client, () => deletion.seenEnd(id.client));
      return Math.min(length, Math.max(0, end - id.clock));
    };
    const pending = [top];
    let steps = 0;
    for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
      searched.add(row.key);
      for (const child of row.children) pending.push(child);
      const text = textOf(this.#nodes, row.key);
      for (const each of text === undefined ? [] : [text, ...notesOf(text)]) {
        const part = each === text ? "name" : "note";
        for (const late of piecesOf(each, wantedFrom)) found.push({ row, part, late });
        steps += 1 + each.length;
        if (steps < STEP) continue;
        steps = 0;
        yield;
      }
    }
  }
}

/** One text for each name and each note: what is added to one at once costs as much as one piece. */
function together(found: readonly Found[]): readonly LateFinding[] {
  const byText = new Map<string, Found[]>();
  for (const each of found) {
    const id = `${each.row.key} ${each.part}`;
    getOrMake(byText, id, () => []).push(each);
  }
  return [...byText.values()].flatMap((pieces) => {
    const [first] = pieces;
    const last = pieces.at(-1)?.late.last;
    if (first === undefined || last === undefined) return [];
    const { row, part, late } = first;
    const runs = new RunBuilder();
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) runs.add(gapOf(part));
      for (const { insert, attributes } of piece.late.runs) runs.add(insert, attributes);
    }
    return [{ row, part, late: { ...late, last, runs: runs.finish() } }];
  });
}

function isFinal(row: TreeRow): boolean {
  return parseDeletion(row.deletion)?.kind === "final";
}
