import * as Y from "yjs";
import { completedAtOf, completionAfter, readCompletion, writeCompletion } from "./completion.ts";
import { DEFAULT_LAYOUT, type Layout } from "./layout.ts";
import { layoutOf } from "./node-reader.ts";
import type { NodeKey } from "./node-key.ts";
import { ATTRIBUTE, notesOf, stringAttribute } from "./schema.ts";
import type { RichText } from "./text/rich-text.ts";
import type { TwoSides } from "./text/text-merge.ts";
import { withinMarks } from "./text/text-limits.ts";
import { readRichText, writeRichText } from "./text/y-text.ts";
import type { TimeMarks } from "./time-marks.ts";
import { encodeTimed, parseTimed, timeAfter } from "./timed-value.ts";

/** What a new node holds besides its place. */
export interface NewContent {
  readonly name: RichText;
  readonly note?: RichText | undefined;
  readonly layout?: Layout | undefined;
  /** Unix seconds. */
  readonly completedAt?: number | null | undefined;
}

/** What an edit of a node asks for; what is absent stays. */
export interface ContentEdit {
  readonly name?: RichText | undefined;
  /** What the name was when `name` was derived from it, if that is known. */
  readonly nameBase?: RichText | undefined;
  /** How the name differs from its base, as far as that has been found out already. */
  readonly nameSides?: TwoSides | undefined;
  readonly note?: RichText | undefined;
  /** The same for the note to write into. */
  readonly noteSides?: TwoSides | undefined;
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
      changed = writeRichText(text, edit.name, edit.nameBase, edit.nameSides).changed;
    }
    if (edit.note !== undefined) {
      changed = this.#writeNote(text, edit.note, edit.noteSides) || changed;
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
    for (const other of others) {
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

  /** The time that marks give to what this author writes now without a mark of its own. */
  latestMark(): number {
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
    return Y.getState(this.#doc.store, this.#doc.clientID);
  }

  /** Makes a node's notes say `wanted`: the first that says anything is edited, others are emptied. */
  #writeNote(text: Y.Text, wanted: RichText, sides: TwoSides | undefined): boolean {
    const notes = notesOf(text);
    const target = noteToWrite(text);
    if (target === undefined) {
      if (wanted.length > 0) fill(this.#ownNote(text), wanted);
      return wanted.length > 0;
    }
    let { changed } = writeRichText(target, wanted, undefined, sides);
    for (const note of notes) {
      if (note === target || note.length === 0) continue;
      note.delete(0, note.length);
      changed = true;
    }
    return changed;
  }

  /** A new note under this author's own attribute, so that two authors' first notes both stay. */
  #ownNote(text: Y.Text): Y.Text {
    const note = new Y.Text();
    text.setAttribute(ATTRIBUTE.notePrefix + this.#doc.clientID.toString(36), note);
    return note;
  }
}

/** The note of a node that an edit of all its notes goes into; undefined when there is none. */
export function noteToWrite(text: Y.Text): Y.Text | undefined {
  const notes = notesOf(text);
  return notes.find((note) => note.length > 0) ?? notes[0];
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
