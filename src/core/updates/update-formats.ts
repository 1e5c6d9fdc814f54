import { countWhile } from "../count-while.ts";
import * as Y from "yjs";
import { FormatCounts, type FormatCount } from "./format-counts.ts";
import { MAX_FOREIGN_FORMATS } from "../text/open-formats.ts";
import { isKnownFormat } from "../text/rich-text.ts";
import type { ListPlace, Owner } from "./update-places.ts";
import type { DeleteSection, StructId, StructRecord } from "./update-reader.ts";
import { structsBetween } from "../yjs/struct-store.ts";

/** Structs that are looked at in a step. */
const STEP = 4096;

/** What an update adds to the formats of one text. */
interface Added {
  readonly before: FormatCount;
  marks: number;
  readonly foreign: Set<string>;
}

/**
 * Holds an update to the formats that one text may have, counted with those that the text has already.
 * What the update deletes of its own counts for nothing. A text that has too many, from before there
 * was a limit, gets no more of them.
 */
export class AddedFormats {
  readonly #doc: Y.Doc;
  readonly #maxMarks: number;
  readonly #deletes: ReadonlyMap<number, readonly number[]>;
  readonly #texts = new Map<Owner, Added>();

  /** @param maxMarks of one update in one text; the text may have half as many again */
  constructor(doc: Y.Doc, deletes: readonly DeleteSection[], maxMarks: number) {
    this.#doc = doc;
    this.#maxMarks = maxMarks;
    this.#deletes = new Map(deletes.map(({ client, ranges }) => [client, ranges]));
  }

  /** Takes a mark into account. Answers why the update is refused for it; undefined when it is not. */
  *add(
    struct: StructRecord,
    { owner }: ListPlace,
  ): Generator<void, "too_large" | "not_allowed" | undefined> {
    const { content } = struct;
    if (content.kind !== "format" || owner === undefined || this.#isDeleted(struct)) {
      return undefined;
    }
    let added = this.#texts.get(owner);
    if (added === undefined) {
      const before = yield* FormatCounts.of(this.#doc).countOf(owner);
      this.#texts.set(owner, (added = { before, marks: 0, foreign: new Set() }));
    }
    added.marks++;
    if (added.marks > this.#maxMarks) return "too_large";
    const { key, value } = content;
    if (value === null || isKnownFormat(key) || added.before.foreign.has(key)) return undefined;
    added.foreign.add(key);
    const isTooMuch = added.before.foreign.size + added.foreign.size > MAX_FOREIGN_FORMATS;
    return isTooMuch ? "not_allowed" : undefined;
  }

  /** To be called behind the last struct. Answers as `add` does. */
  *finish(): Generator<void, "too_large" | undefined> {
    const maxMarks = 1.5 * this.#maxMarks;
    const full = new Map<object, number>();
    for (const [text, { before, marks }] of this.#texts) {
      const surplus = before.marks + marks - maxMarks;
      if (surplus > 0) full.set(text, Math.min(surplus, marks));
    }
    if (full.size === 0) return undefined;
    // An update that takes away as many as it adds is let through.
    yield* this.#subtractDeleted(full);
    return [...full.values()].some((surplus) => surplus > 0) ? "too_large" : undefined;
  }

  *#subtractDeleted(surplus: Map<object, number>): Generator<void> {
    let seen = 0;
    for (const [client, ranges] of this.#deletes) {
      for (let at = 0; at < ranges.length; at += 2) {
        const start = ranges[at] ?? 0;
        const end = start + (ranges[at + 1] ?? 0);
        for (const struct of structsBetween(this.#doc, client, start, end)) {
          if (++seen % STEP === 0) yield;
          const isMark = struct instanceof Y.Item && struct.content instanceof Y.ContentFormat;
          if (!isMark || struct.deleted || struct.parent === null) continue;
          const left = surplus.get(struct.parent);
          if (left !== undefined) surplus.set(struct.parent, left - 1);
        }
      }
    }
  }

  #isDeleted({ client, clock }: StructId): boolean {
    const ranges = this.#deletes.get(client);
    if (ranges === undefined) return false;
    const begun = countWhile(ranges.length / 2, (index) => (ranges[2 * index] ?? 0) <= clock);
    const start = ranges[2 * begun - 2];
    return start !== undefined && clock < start + (ranges[2 * begun - 1] ?? 0);
  }
}
