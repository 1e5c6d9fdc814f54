import { ChangeRecorder } from "../../core/change-recorder.ts";
import { inOneGo } from "../../core/in-one-go.ts";
import type { NodeKey } from "../../core/node-key.ts";
import type { Outline } from "../../core/outline.ts";
import { countWhile } from "../../core/count-while.ts";
import type { ShownPlace } from "../../core/tree/places-before.ts";
import { decodeChanges, encodeChanges, type StoredChanges } from "./change-record.ts";
import type { DocumentPorts } from "./document-ports.ts";
import type { Append } from "../log/outline-log.ts";
import { runInSlices } from "../turns/slices.ts";

/** That a node has changed. Those that were made durable together have one number. */
export interface NodeChange {
  readonly number: number;
  readonly key: NodeKey;
  /** Where it was, when that has changed, or its rank among its siblings. */
  readonly before: ShownPlace | undefined;
  /** The change of the same node before this one, as far as that is in memory. */
  earlier: NodeChange | undefined;
}

interface ChangeJournalOptions {
  readonly ports: Pick<DocumentPorts, "changes" | "limits" | "now" | "turns">;
  readonly outline: Outline;
  /** The number of the last change that is stored. */
  readonly last: number;
  /** Resolves when all changes so far are durable; rejects when they can't be. */
  readonly settled: () => Promise<unknown>;
}

/** Memory that a change takes, about. */
const BYTES_OF_CHANGE = 150;
const PAGE_BYTES = 256 * 1024;
/** Changes that are looked at in some tenths of a millisecond. */
const STEP = 500;
/** Records between two looks at the oldest ones. */
const LOOK_EVERY = 1_000;
const FIRST_LOOK = 100;

/**
 * Which nodes of an outline have changed, in order: on the disk with the updates that changed them, and
 * from when on somebody has asked, in memory. The log itself can't tell: it says nothing of nodes that
 * are shown or hidden by what happens above them, nor of where a node was.
 */
export class ChangeJournal {
  readonly #options: ChangeJournalOptions;
  readonly #recorder: ChangeRecorder;
  #last: number;
  /** What of the changes behind `#from` is in memory; undefined before somebody has asked. [Q78] */
  #changes: NodeChange[] | undefined;
  #from: number;
  /** The last change of each node [Q78]. */
  #latest = new Map<NodeKey, NodeChange>();
  #reading: Promise<void> | undefined;
  #untilLook = FIRST_LOOK;
  /** Records that go with the next append [Q78]. */
  #outdated: number[] = [];

  constructor(options: ChangeJournalOptions) {
    this.#options = options;
    this.#recorder = new ChangeRecorder(options.outline);
    this.#last = options.last;
    this.#from = options.last;
  }

  /** The number of the last change, durable or not. */
  get last(): number {
    return this.#last;
  }

  /** Memory that it takes, estimated. */
  get bytes(): number {
    return (this.#changes?.length ?? 0) * BYTES_OF_CHANGE;
  }

  /** Forgets what the recorder has of a change that is not to be. */
  forget(): void {
    this.#recorder.take();
  }

  /** What an append has to have for all that has changed since the last one. */
  take(): Append["changes"] {
    const changed = this.#recorder.take();
    if (changed.size === 0) return undefined;
    this.#last += changed.size;
    if (this.#changes !== undefined) {
      addTo(this.#changes, this.#latest, this.#last, changed);
      this.#trimMemory(this.#changes);
    }
    const at = Math.floor(this.#options.ports.now() / 1000);
    const removed = this.#outdated;
    this.#outdated = [];
    if (--this.#untilLook <= 0) void this.#look();
    return { added: [{ last: this.#last, data: encodeChanges(at, changed) }], removed };
  }

  /**
   * Has the changes behind a number in memory.
   * @returns false when not all of them are kept, or the number is none of this outline
   * @throws UnavailableError, StoreError `outline_corrupt`
   */
  async reach(after: number): Promise<boolean> {
    if (after > this.#last) return false;
    if (this.#changes === undefined) {
      this.#changes = [];
      this.#from = this.#last;
    }
    for (;;) {
      if (after >= this.#from) return true;
      if (this.#reading === undefined) {
        const reading = this.#read(after).finally(() => (this.#reading = undefined));
        this.#reading = reading;
        await reading;
        if (after < this.#from) return false;
      } else await this.#reading;
    }
  }

  /** Whether the changes behind a number are in memory. */
  reaches(after: number): boolean {
    return this.#changes !== undefined && after >= this.#from && after <= this.#last;
  }

  /** The changes behind a number that `reach` has reached, in order; later ones are not added to it. */
  *after(number: number): Generator<NodeChange> {
    const changes = this.#changes ?? [];
    const end = changes.length;
    for (let index = firstBehind(changes, number); index < end; index++) {
      const change = changes[index];
      if (change !== undefined) yield change;
    }
  }

  /** The last change of a node, as far as `reach` has reached. */
  latest(key: NodeKey): NodeChange | undefined {
    return this.#latest.get(key);
  }

  /** Reads what is between a number and what is in memory. */
  async #read(after: number): Promise<void> {
    const { ports, settled } = this.#options;
    await settled();
    const end = this.#from;
    const older: NodeChange[] = [];
    const latest = new Map<NodeKey, NodeChange>();
    for (let from = after; from < end;) {
      const records = await ports.changes(from, PAGE_BYTES);
      for (const { last, data } of records) {
        if (from >= end) break;
        const { count, changed } = decodeChanges(data);
        // Older ones have been let go of.
        if (last - count > from) return;
        await runInSlices(addInSteps(older, latest, last, changed), ports.turns.read);
        from = last;
      }
      if (records.length === 0) return;
    }
    await runInSlices(this.#putInFront(end, after, older, latest), ports.turns.read);
  }

  /** What came since these were asked for, or was there, comes behind them. */
  *#putInFront(
    end: number,
    after: number,
    older: readonly NodeChange[],
    latest: Map<NodeKey, NodeChange>,
  ): Generator<void> {
    const newer = this.#changes ?? [];
    for (let index = 0; index < newer.length; index++) {
      const change = newer[index];
      if (change === undefined) break;
      change.earlier ??= latest.get(change.key);
      latest.set(change.key, change);
      if (index % STEP === STEP - 1) yield;
    }
    // So much has come that the oldest of it have been let go of.
    if (this.#changes !== newer || this.#from !== end) return;
    this.#changes = [...older, ...newer];
    this.#latest = latest;
    this.#from = after;
  }

  /** Finds the oldest records that nobody may ask for any more. */
  async #look(): Promise<void> {
    this.#untilLook = Infinity;
    const { ports } = this.#options;
    const { limits } = ports;
    try {
      const oldest = await ports.changes(0, PAGE_BYTES);
      const before = Math.floor((ports.now() - limits.changesMs) / 1000);
      const outdated = oldest.findIndex(({ last, data }) => {
        const isOld = decodeChanges(data).at < before;
        return !isOld && last > this.#last - limits.maxChanges;
      });
      const count = outdated === -1 ? oldest.length : outdated;
      this.#outdated = oldest.slice(0, count).map(({ last }) => last);
      this.#untilLook = count > 0 && count === oldest.length ? 1 : LOOK_EVERY;
    } catch {
      // What can't be read is read again some other time.
      this.#untilLook = LOOK_EVERY;
    }
  }

  #trimMemory(changes: readonly NodeChange[]): void {
    const { maxChanges } = this.#options.ports.limits;
    if (changes.length <= 2 * maxChanges) return;
    const from = changes[changes.length - maxChanges - 1]?.number ?? this.#from;
    this.#from = from;
    this.#changes = changes.slice(firstBehind(changes, from));
    this.#latest = new Map();
    for (const change of this.#changes) {
      if (change.earlier !== undefined && change.earlier.number <= from) change.earlier = undefined;
      this.#latest.set(change.key, change);
    }
  }
}

function addTo(...to: Parameters<typeof addInSteps>): void {
  inOneGo(addInSteps(...to));
}

function* addInSteps(
  changes: NodeChange[],
  latest: Map<NodeKey, NodeChange>,
  number: number,
  changed: StoredChanges["changed"],
): Generator<void> {
  let count = 0;
  for (const [key, before] of changed) {
    const change = { number, key, before, earlier: latest.get(key) };
    changes.push(change);
    latest.set(key, change);
    if (++count % STEP === 0) yield;
  }
}

/** The index of the first change behind a number. */
function firstBehind(changes: readonly NodeChange[], number: number): number {
  return countWhile(changes.length, (index) => (changes[index]?.number ?? 0) <= number);
}
