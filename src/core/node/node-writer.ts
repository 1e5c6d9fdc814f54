import * as Y from "yjs";
import { notesSaid } from "./notes-said.ts";
import { completedAtOf, completionAfter, readCompletion, writeCompletion } from "./completion.ts";
import { DEFAULT_LAYOUT, type Layout } from "./layout.ts";
import { layoutOf } from "./node-reader.ts";
import type { NodeKey } from "../node-key.ts";
import { ATTRIBUTE, notesOf, stringAttribute, textOf } from "../schema.ts";
import type { RichText } from "../text/rich-text.ts";
import type { TwoSides } from "../text/text-merge.ts";
import { withinMarks } from "../text/text-limits.ts";
import { writeRichText } from "../text/write-rich-text.ts";
import { readRichText } from "../text/y-text.ts";
import type { TimeMarks } from "./time-marks.ts";
import { encodeTimed, parseTimed, timeAfter } from "./timed-value.ts";
import { clockOf } from "../yjs/struct-store.ts";

/** What a new node holds besides its place. */
export interface NewContent {
  readonly name: RichText;
  readonly note?: RichText | undefined;
  readonly layout?: Layout | undefined;
  /** Unix seconds. */
  readonly completedAt?: number | null | undefined;
  /** What it is a mirror of; then it holds nothing else. */
  readonly origin?: NodeKey | undefined;
}

/** What a name or a note is to say. */
export interface TextChange {
  readonly wanted: RichText;
  /** What `wanted` was made from; absent for what is there. */
  readonly base?: RichText;
  /** How `wanted` and what is there differ from the base, when that has been found out already. */
  readonly sides?: TwoSides;
}

/** What an edit of a node asks for; what is absent stays. */
export interface ContentEdit {
  readonly name?: TextChange | undefined;
  readonly note?: TextChange | undefined;
  readonly layout?: Layout | undefined;
  readonly completed?: boolean | undefined;
}

/** Writes what nodes hold. Every method is called inside a transaction. */
export class NodeWriter {
  readonly #doc: Y.Doc;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #marks: TimeMarks;
  readonly #markEverySec: number;
  /** When this transaction has marked last; the marks themselves have it only when it has ended. */
  #markedAt = 0;

  /** @param markEverySec how often, at most, edits append a time mark */
  constructor(doc: Y.Doc, nodes: Y.Map<Y.Text>, marks: TimeMarks, markEverySec: number) {
    this.#doc = doc;
    this.#nodes = nodes;
    this.#marks = marks;
    this.#markEverySec = markEverySec;
  }

  /** To be called after every transaction: marks are due anew. */
  endTransaction(): void {
    this.#markedAt = 0;
  }

  /** Creates the text of a node under a key that has none. It has no place yet. */
  create(key: NodeKey, content: NewContent): Y.Text {
    const text = new Y.Text();
    this.#nodes.set(key, text);
    fill(text, content.name);
    if (content.origin !== undefined) text.setAttribute(ATTRIBUTE.origin, content.origin);
    if (content.layout !== undefined && content.layout !== DEFAULT_LAYOUT) {
      text.setAttribute(ATTRIBUTE.layout, content.layout);
    }
    if (content.completedAt !== undefined && content.completedAt !== null) {
      text.setAttribute(ATTRIBUTE.completed, content.completedAt);
    }
    if (content.note !== undefined && content.note.length > 0) {
      fill(this.#ownNote(text), content.note);
    }
    return text;
  }

  /** Applies an edit; the parts that say what is there already write nothing. */
  edit(text: Y.Text, edit: ContentEdit, nowMs: number): void {
    const nowSec = Math.floor(nowMs / 1000);
    this.#mark(nowSec);
    const before = this.#ownClock();
    let changed = false;
    if (edit.name !== undefined) {
      changed = writeChange(text, edit.name);
    }
    if (edit.note !== undefined) {
      changed = this.#writeNote(text, edit.note) || changed;
    }
    if (edit.layout !== undefined && edit.layout !== layoutOf(text)) {
      const { at } = parseTimed(stringAttribute(text, ATTRIBUTE.layout) ?? "");
      const layout = { value: edit.layout, at: timeAfter(at, nowMs) };
      text.setAttribute(ATTRIBUTE.layout, encodeTimed(layout));
    }
    if (edit.completed !== undefined && edit.completed !== (completedAtOf(text) !== null)) {
      writeCompletion(text, completionAfter(readCompletion(text), edit.completed, nowSec));
    }
    // Deleting leaves nothing behind that a time mark could date.
    if (changed && this.#ownClock() === before) this.stamp(text, nowSec);
  }

  /**
   * Lets `work` write into a name or a note. It is dated by a time mark alone, never by a stamp: an
   * editor calls this for every keystroke (docs/SPEC.md, rules M).
   * @returns whether it left anything that the mark dates; what only deletes does not
   */
  write(text: Y.Text, nowSec: number, work: (text: Y.Text) => void): boolean {
    this.#mark(nowSec);
    const before = this.#ownClock();
    work(text);
    return this.#ownClock() !== before;
  }

  /**
   * The one note of a node to write into: made when there is none; what several authors began
   * becomes one, a line for each.
   */
  noteOf(text: Y.Text): Y.Text {
    const [first, ...others] = notesOf(text).filter((note) => note.length > 0);
    if (first === undefined) return notesOf(text)[0] ?? this.#ownNote(text);
    const said = new Set(notesSaid(text));
    for (const other of others) {
      if (!said.has(other)) {
        other.delete(0, other.length);
        continue;
      }
      const runs = withinMarks(readRichText(other)).map(({ insert, attributes }) => ({
        insert,
        attributes: { ...attributes },
      }));
      first.applyDelta([{ retain: first.length }, { insert: "\n", attributes: {} }, ...runs]);
      other.delete(0, other.length);
    }
    return first;
  }

  /** Says when a node was modified, whatever time marks say of this author's earlier writes to it. */
  stamp(text: Y.Text, modifiedAtSec: number): void {
    text.setAttribute(ATTRIBUTE.modified, modifiedAtSec);
  }

  /** Dates a node that was just made, in Unix seconds. */
  dateNew(key: NodeKey, createdAt: number, modifiedAt: number): void {
    const text = textOf(this.#nodes, key);
    // Time marks of earlier edits would date what is written now, so they are overruled.
    const isDatedWrong = modifiedAt > createdAt || this.#latestMark() > createdAt;
    if (text !== undefined && isDatedWrong) this.stamp(text, modifiedAt);
  }

  /** The time that marks give to what this author writes now without a mark of its own. */
  #latestMark(): number {
    const before = this.#marks.writtenAt(this.#doc.clientID, Number.MAX_SAFE_INTEGER);
    return Math.max(before, this.#markedAt);
  }

  #mark(nowSec: number): void {
    // A transaction may hold writes of several people, of two seconds too.
    if (this.#markedAt > 0 && nowSec - this.#markedAt < this.#markEverySec) return;
    this.#markedAt = nowSec;
    this.#marks.markIfDue(nowSec, this.#markEverySec);
  }

  #ownClock(): number {
    return clockOf(this.#doc, this.#doc.clientID);
  }

  /** Changes what a node's notes say together: they become one. */
  #writeNote(text: Y.Text, change: TextChange): boolean {
    const count = notesOf(text).filter((note) => note.length > 0).length;
    if (count === 0 && change.wanted.length === 0) return false;
    return writeChange(this.noteOf(text), change) || count > 1;
  }

  /** A new note under this author's own attribute, so that two authors' first notes both stay. */
  #ownNote(text: Y.Text): Y.Text {
    const note = new Y.Text();
    text.setAttribute(ATTRIBUTE.notePrefix + this.#doc.clientID.toString(36), note);
    return note;
  }
}

function writeChange(text: Y.Text, { wanted, base, sides }: TextChange): boolean {
  return writeRichText(text, wanted, base, sides);
}

/** Writes into a text that is empty; not more formats than it may have. */
function fill(text: Y.Text, whole: RichText): void {
  const wanted = withinMarks(whole);
  const [first] = wanted;
  if (first !== undefined && wanted.length === 1 && first.attributes === undefined) {
    text.insert(0, first.insert);
  } else if (wanted.length > 0) {
    text.applyDelta(wanted.map(({ insert, attributes }) => ({ insert, attributes })));
  }
}
