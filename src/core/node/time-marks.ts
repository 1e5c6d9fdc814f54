import * as Y from "yjs";
import { getOrMake } from "../get-or-make.ts";
import { decodeArrivals, type ArrivalRange, type ClientArrivals } from "./arrival-record.ts";
import { ClockTimes } from "./clock-times.ts";
import { countUpTo } from "../count-while.ts";
import { isSecond } from "../schema.ts";
import { firstItem } from "../yjs/inside.ts";
import { clockOf, forEachAdded } from "../yjs/struct-store.ts";

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
 *
 * The server appends records of when things came from outside (arrival-record.ts): they count instead
 * of the author's marks, because clocks of devices are wrong and edits come late.
 */
export class TimeMarks {
  readonly #marks: Y.Array<number>;
  readonly #authors = new Map<number, AuthorMarks>();
  readonly #arrivals = new Map<number, ClockTimes>();
  /** Where records stand in what each client wrote. One for some minutes of edits from outside. */
  readonly #records = new Map<number, number[]>();
  /** Whether the next record of this replica says what nobody has been told. */
  #hasUntold = false;

  /** Knows no marks before `read`. */
  constructor(marks: Y.Array<number>) {
    this.#marks = marks;
  }

  /** Reads the marks that are there, in steps; `update` takes in those of later transactions. */
  *read(): Generator<void> {
    const items: Y.Item[] = [];
    for (let item = firstItem(this.#marks); item !== null; item = item.right) {
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
   * The Unix seconds at which what `client` wrote at `clock` came to the server or, where nothing says
   * that, at which it was written; 0 when nothing says anything. O(log times of the client).
   */
  timeOf(client: number, clock: number): number {
    return this.arrivalOf(client, clock) || this.writtenAt(client, clock);
  }

  /** The Unix seconds at which it came to the server from outside; 0 when nothing says. */
  arrivalOf(client: number, clock: number): number {
    return this.#arrivals.get(client)?.at(clock) ?? 0;
  }

  /** The Unix seconds at which its author says that it was written; 0 when nothing says. */
  writtenAt(client: number, clock: number): number {
    const marks = this.#authors.get(client);
    if (marks === undefined) return 0;
    return marks.times[countUpTo(marks.clocks, clock) - 1] ?? 0;
  }

  /** Whether a client has appended a record at one of the clocks `[from, end)`. */
  hasRecord(client: number, from: number, end: number): boolean {
    return this.#records.get(client)?.some((clock) => clock >= from && clock < end) ?? false;
  }

  /** Whether there is any record. */
  get hasRecords(): boolean {
    return this.#records.size > 0;
  }

  /** Takes in when something came, before there is a record of it. */
  arrive(client: number, { from, end, at }: ArrivalRange): void {
    getOrMake(this.#arrivals, client, () => new ClockTimes()).raise(from, end, at);
  }

  /** Appends a record. To be called inside a transaction. */
  record(bytes: Uint8Array): void {
    // What an array of Yjs holds may be bytes, whatever this one says of its own values.
    (this.#marks as Y.Array<unknown>).push([bytes]);
  }

  /** What is dated by marks later than `latestSec`, and came before there were records. */
  writtenBehind(
    latestSec: number,
  ): ReadonlyMap<number, readonly Pick<ArrivalRange, "from" | "end">[]> {
    const found = new Map<number, Pick<ArrivalRange, "from" | "end">[]>();
    const { doc } = this.#marks;
    if (doc === null) return found;
    for (const [client, { clocks, times }] of this.#authors) {
      const ranges: Pick<ArrivalRange, "from" | "end">[] = [];
      for (const [index, from] of clocks.entries()) {
        if ((times[index] ?? 0) <= latestSec || this.arrivalOf(client, from) > 0) continue;
        ranges.push({ from, end: clocks[index + 1] ?? clockOf(doc, client) });
      }
      if (ranges.length > 0) found.set(client, ranges);
    }
    return found;
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

  /** After a crash things have another time than they had, which nobody hears of before it is recorded. */
  noteUntold(): void {
    this.#hasUntold = true;
  }

  /**
   * Takes in what a finished transaction appended; answers what arrivals it tells that are news: of what
   * the server itself records only those that nobody was told. O(structs the transaction added).
   */
  update(transaction: Y.Transaction): readonly ClientArrivals[] {
    if (!transaction.changed.has(this.#marks)) return NO_ARRIVALS;
    const arrivals: ClientArrivals[] = [];
    forEachAdded(transaction, (struct) => {
      if (!(struct instanceof Y.Item) || struct.parent !== this.#marks) return;
      const said = this.#add(struct, transaction.beforeState.get(struct.id.client));
      if (said !== undefined) arrivals.push(said);
    });
    if (!transaction.local || arrivals.length === 0) return arrivals;
    const isUntold = this.#hasUntold;
    this.#hasUntold = false;
    return isUntold ? arrivals : NO_ARRIVALS;
  }

  #add(item: Y.Item, fromClock = 0): ClientArrivals | undefined {
    if (item.deleted) return undefined;
    if (item.content instanceof Y.ContentBinary)
      return this.#addRecord(item.id, item.content.content);
    if (!(item.content instanceof Y.ContentAny)) return undefined;
    const { client, clock } = item.id;
    for (const [offset, time] of item.content.arr.entries()) {
      if (clock + offset < fromClock || !isSecond(time)) continue;
      const marks = getOrMake(this.#authors, client, () => ({ clocks: [], times: [] }));
      const at = countUpTo(marks.clocks, clock + offset);
      if (marks.clocks[at - 1] === clock + offset) continue;
      marks.clocks.splice(at, 0, clock + offset);
      marks.times.splice(at, 0, time);
    }
    return undefined;
  }

  #addRecord({ client, clock }: Y.ID, bytes: Uint8Array): ClientArrivals {
    getOrMake(this.#records, client, () => []).push(clock);
    const arrivals = decodeArrivals(bytes);
    for (const [author, ranges] of arrivals) for (const range of ranges) this.arrive(author, range);
    return arrivals;
  }
}

const NO_ARRIVALS: readonly ClientArrivals[] = [];
