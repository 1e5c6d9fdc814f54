import type * as Y from "yjs";
import { EditsSince } from "./edits-since.ts";
import type { Outline } from "./outline.ts";
import { takeOut, twinsIn } from "./same-edit.ts";
import { secondHalfOfSplit } from "./same-split.ts";
import type { TreeRow } from "./tree-row.ts";
import type { DeleteSection } from "./update-reader.ts";

/** What several authors did alike without knowing of each other, but for the first of each. */
export interface Duplicates {
  readonly texts: ReadonlyMap<Y.Text, readonly Y.Item[]>;
  /** New lines of splits. */
  readonly halves: ReadonlySet<TreeRow>;
}

/** Looks through others' updates for what two authors did alike, and leaves it there once: for repair. */
export class DoneTwice {
  readonly #outline: Outline;
  readonly #since = new EditsSince();

  constructor(outline: Outline) {
    this.#outline = outline;
  }

  /** Whether there is nothing to compare, as for nearly every keystroke. */
  get isQuiet(): boolean {
    return this.#since.isQuiet;
  }

  /** To be called after each transaction with what others wrote, before its garbage is collected. */
  note(transaction: Y.Transaction): void {
    this.#since.note(transaction);
  }

  /** What an update deletes though it is deleted: to be called before it is applied. */
  noteDeletedAgain(sections: readonly DeleteSection[]): void {
    this.#since.noteDeletedAgain(sections);
  }

  /** Forgets what has been noted. */
  clear(): void {
    this.#since.clear();
  }

  /** What was done twice since this was last cleared; undefined for nothing. */
  *find(): Generator<void, Duplicates | undefined> {
    const texts = new Map<Y.Text, Y.Item[]>();
    for (const gap of this.#since.gaps) {
      const twins = yield* twinsIn(gap, this.#since.isNew, this.#since.isDeletedTwice);
      if (twins.length === 0) continue;
      const others = texts.get(gap.text);
      if (others === undefined) texts.set(gap.text, [...twins]);
      else others.push(...twins);
    }
    const halves = new Set<TreeRow>();
    const deletedAtEnd = (text: Y.Text): number => this.#since.deletedAtEnd(text);
    for (const key of this.#since.made) {
      const half = secondHalfOfSplit(this.#outline, key, deletedAtEnd);
      if (half !== undefined) halves.add(half);
      yield;
    }
    return texts.size + halves.size === 0 ? undefined : { texts, halves };
  }

  /** Takes away what is there twice; in transactions. Yields how much it has written since it last did. */
  *undo({ texts, halves }: Duplicates): Generator<number> {
    const { doc, treeWriter } = this.#outline;
    for (const [text, twins] of texts) {
      doc.transact((transaction) => takeOut(transaction, text, twins));
      yield 1 + twins.length;
    }
    for (const half of halves) {
      treeWriter.markDeleted(half, { kind: "trash", seen: "everything" });
      yield 1;
    }
  }
}
