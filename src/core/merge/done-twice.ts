import type * as Y from "yjs";
import type { Arrivals } from "./arrivals.ts";
import type { DeletedCharacters, Deletions } from "./deleted-characters.ts";
import { EditsSince } from "./edits-since.ts";
import type { Outline } from "../outline.ts";
import { insertionsIn } from "./insertions.ts";
import { takeOut, twinsAmong } from "./same-edit.ts";
import { secondHalfOfSplit } from "./same-split.ts";
import type { TreeRow } from "../tree/tree-row.ts";
import { type Addition, addMissing, mendingOf } from "./torn-words.ts";

/** What several authors did alike without knowing of each other, but for the first of each. */
export interface Duplicates {
  readonly texts: ReadonlyMap<Y.Text, readonly Y.Item[]>;
  /** What is missing where several changed the same word in different ways. */
  readonly additions: readonly Addition[];
  /** The first update that changed one of these words. */
  readonly since: number;
  /** New lines of splits. */
  readonly halves: ReadonlySet<TreeRow>;
}

/** Looks through others' updates for what two authors did alike, and leaves it there once: for repair. */
export class DoneTwice {
  readonly #outline: Outline;
  readonly #since: EditsSince;
  readonly #mendsWords: boolean;

  constructor(outline: Outline, arrivals: Arrivals, mendsWords: boolean) {
    this.#outline = outline;
    this.#since = new EditsSince(arrivals);
    this.#mendsWords = mendsWords;
  }

  /** What was deleted last. */
  get deleted(): DeletedCharacters {
    return this.#since.deleted;
  }

  /** Whether there is nothing to compare, as for nearly every keystroke. */
  get isQuiet(): boolean {
    return this.#since.isQuiet;
  }

  /** To be called after each transaction with what others wrote, before its garbage is collected. */
  note(transaction: Y.Transaction): void {
    this.#since.note(transaction);
  }

  /** What an update deletes: to be called before it is applied. */
  noteDeletions(deletions: Deletions): void {
    this.#since.noteDeletions(this.#outline.doc, deletions);
  }

  /** Forgets what has been noted. */
  clear(): void {
    this.#since.clear();
  }

  readonly #dateOf = ({ id }: Y.Item): number => this.#outline.dateOf(id);

  /** What was done twice since this was last cleared; undefined for nothing. */
  *find(): Generator<void, Duplicates | undefined> {
    const texts = new Map<Y.Text, Y.Item[]>();
    const gone = new Set<Y.Item>();
    const takeAway = (text: Y.Text, items: readonly Y.Item[]): void => {
      if (items.length === 0) return;
      for (const item of items) gone.add(item);
      texts.set(text, [...(texts.get(text) ?? []), ...items]);
    };
    const { isNew, isDeletedTwice, isAdded, deleted } = this.#since;
    for (const gap of this.#since.gaps) {
      const inserted = yield* insertionsIn(gap, isDeletedTwice);
      if (inserted === undefined || inserted.insertions.length < 2) continue;
      const twins = twinsAmong(inserted.insertions, gap, isNew, isAdded, this.#dateOf);
      takeAway(
        gap.text,
        twins.flatMap(({ items }) => items),
      );
    }
    const additions: Addition[] = [];
    for (const gap of this.#mendsWords ? this.#since.contested : []) {
      const inserted = yield* insertionsIn(gap, deleted.wasThere, isAdded);
      if (inserted === undefined || inserted.pieces.some(({ item }) => gone.has(item))) continue;
      const mending = mendingOf(inserted, gap, isNew, deleted);
      const contained = mending.contained.flatMap(({ items }) => items);
      takeAway(gap.text, [...contained, ...mending.replaced]);
      additions.push(...mending.additions);
    }
    const halves = new Set<TreeRow>();
    const haveDeletedAtEnd = (text: Y.Text, said: string): boolean =>
      this.#since.haveDeletedAtEnd(text, said);
    for (const key of this.#since.made) {
      const half = secondHalfOfSplit(this.#outline, key, haveDeletedAtEnd);
      if (half !== undefined) halves.add(half);
      yield;
    }
    const found = texts.size + additions.length + halves.size;
    return found === 0 ? undefined : { texts, additions, halves, since: deleted.since };
  }

  /**
   * Takes away what is there twice, and adds what is missing; in
   * transactions. Yields how much it has written since it last did.
   */
  *undo({ texts, additions, since, halves }: Duplicates): Generator<number> {
    const { doc, treeWriter } = this.#outline;
    for (const addition of additions) {
      const id = doc.transact((transaction) => addMissing(transaction, addition));
      if (id !== undefined) this.#since.noteAdded(id, addition.missing.length, since);
      yield 1;
    }
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
