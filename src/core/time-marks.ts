import * as Y from "yjs";

interface AuthorMarks {
  /** Clocks at which the marks stand, ascending. */
  readonly clocks: number[];
  /** Unix seconds, one for each clock. */
  readonly times: number[];
}

/** Items that are read in a step. */
const STEP = 4096;

/**
 * When things were written, without a time in every write.
 *
 * Authors append a mark (Unix seconds) to the document's `clk` array now and then while they edit.
 * What an author wrote at a clock was written at the time of the author's latest mark at or before
 * that clock. A mark a minute costs 2 bytes a keystroke less than a stamp a keystroke costs 700
 * (docs/SPEC.md, rules M).
 */
export class TimeMarks {
  readonly #marks: Y.Array<number>;
  readonly #authors = new Map<number, AuthorMarks>();

  /** Knows no marks before `read`. */
  constructor(marks: Y.Array<number>) {
    this.#marks = marks;
  }

  /** Reads the marks that are there, in steps; `update` takes in those of later transactions. */
  *read(): Generator<void> {
    const items: Y.Item[] = [];
    for (let item = this.#marks._start; item !== null; item = item.right) {
      items.push(item);
      if (items.length % STEP === 0) yield;
    }
    // Each author's in the order in which they were written, wherever they were put.
    items.sort((a, b) => a.id.clock - b.id.clock);
    for (const [index, item] of items.entries()) {
      this.#add(item);
      if (index % STEP === STEP - 1) yield;
    }
  }

  /**
   * The Unix seconds at which `client` wrote what stands at `clock`; 0 when nothing says.
   * O(log marks of the client).
   */
  timeOf(client: number, clock: number): number {
    const marks = this.#authors.get(client);
    if (marks === undefined) return 0;
    return marks.times[countUpTo(marks.clocks, clock) - 1] ?? 0;
  }

  /**
   * Appends a mark in the name of the document's client id when its latest one is older than
   * `everySec` (or in the future, after a clock was put right). To be called inside the transaction
   * whose writes it dates, before them.
   */
  markIfDue(nowSec: number, everySec: number): void {
    const client = this.#marks.doc?.clientID;
    const latest = client === undefined ? undefined : this.#authors.get(client)?.times.at(-1);
    if (latest !== undefined && latest <= nowSec && nowSec - latest < everySec) return;
    this.#marks.push([nowSec]);
  }

  /** Takes in what a finished transaction appended. O(structs the transaction added). */
  update(transaction: Y.Transaction): void {
    if (!transaction.changed.has(this.#marks)) return;
    for (const [client, end] of transaction.afterState) {
      const start = transaction.beforeState.get(client) ?? 0;
      if (start === end) continue;
      const structs = transaction.doc.store.clients.get(client) ?? [];
      for (let index = Y.findIndexSS(structs, start); index < structs.length; index++) {
        const struct = structs[index];
        if (struct instanceof Y.Item && struct.parent === this.#marks) this.#add(struct, start);
      }
    }
  }

  #add(item: Y.Item, fromClock = 0): void {
    if (item.deleted || !(item.content instanceof Y.ContentAny)) return;
    const { client, clock } = item.id;
    for (const [offset, time] of item.content.arr.entries()) {
      if (clock + offset < fromClock || !isUnixSeconds(time)) continue;
      let marks = this.#authors.get(client);
      if (marks === undefined) this.#authors.set(client, (marks = { clocks: [], times: [] }));
      const at = countUpTo(marks.clocks, clock + offset);
      if (marks.clocks[at - 1] === clock + offset) continue;
      marks.clocks.splice(at, 0, clock + offset);
      marks.times.splice(at, 0, time);
    }
  }
}

/** How many of the ascending `clocks` are not greater than `clock`. */
function countUpTo(clocks: readonly number[], clock: number): number {
  let low = 0;
  let high = clocks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((clocks[middle] ?? 0) <= clock) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isUnixSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
