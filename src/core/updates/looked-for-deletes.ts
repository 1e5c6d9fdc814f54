import { countWhile } from "../count-while.ts";
import { inOneGo } from "../in-one-go.ts";
import { readUpdate } from "./update-reader.ts";
import { deletesIn } from "../yjs/stored-update.ts";

/** More is looked at in a document, where each is found at once. */
const MOST_RANGES = 200_000;
/** Ranges of which the middle is found: each moves those behind it. */
const MOST_CUTS = 2_000;

/** Clocks `[from, end)`; nothing when all of them were found. */
interface Range {
  from: number;
  end: number;
}

/** What an update deletes, which is looked for among what others delete. */
export class LookedForDeletes {
  readonly #ranges: ReadonlyMap<number, Range[]>;
  /** Clocks that were not found. */
  #left = 0;
  #cuts = 0;

  private constructor(ranges: ReadonlyMap<number, Range[]>) {
    this.#ranges = ranges;
    for (const { from, end } of [...ranges.values()].flat()) this.#left += end - from;
  }

  /** Undefined for an update that does more than delete, that deletes too much, or that is none. */
  static of(update: Uint8Array): LookedForDeletes | undefined {
    try {
      const limits = { maxStructs: 0, maxDeleteRanges: () => MOST_RANGES };
      const { sections, deletes } = inOneGo(readUpdate(update, limits));
      if (sections.length > 0) return undefined;
      return new LookedForDeletes(
        new Map(deletes.map(({ client, ranges }) => [client, rangesOf(ranges)])),
      );
    } catch {
      return undefined;
    }
  }

  get areFound(): boolean {
    return this.#left === 0;
  }

  /** Whether it is of no use to go on. */
  get isGivenUp(): boolean {
    return this.#cuts > MOST_CUTS;
  }

  /** Takes in what another update deletes. */
  find(update: Uint8Array): void {
    for (const [client, deleted] of deletesIn(update)) {
      const ranges = this.#ranges.get(client) ?? [];
      for (const { clock, len } of deleted) this.#take(ranges, clock, clock + len);
    }
  }

  #take(ranges: Range[], from: number, end: number): void {
    let at = countWhile(ranges.length, (index) => (ranges[index]?.end ?? 0) <= from);
    for (let range = ranges[at]; range !== undefined && range.from < end; range = ranges[++at]) {
      const first = Math.max(range.from, from);
      const last = Math.min(range.end, end);
      if (first >= last) continue;
      this.#left -= last - first;
      if (first > range.from && last < range.end) {
        this.#cuts++;
        if (!this.isGivenUp) ranges.splice(at + 1, 0, { from: last, end: range.end });
      }
      if (first > range.from) range.end = first;
      else range.from = last;
    }
  }
}

function rangesOf(ranges: readonly number[]): Range[] {
  const found: Range[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    const from = ranges[at] ?? 0;
    found.push({ from, end: from + (ranges[at + 1] ?? 0) });
  }
  return found;
}
