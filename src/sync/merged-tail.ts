import type { Seq } from "../documents/outline-log.ts";
import type { DroppableMemory } from "./droppable-memory.ts";
import { countOfRun, mergedUpdate } from "../core/yjs/merged-update.ts";

/** Some updates of the log as one. */
export interface TailPart {
  readonly update: Uint8Array;
  /** The number of the last of them. */
  readonly seq: Seq;
}

/** Updates in a run, and runs in a run of runs. */
const RUN = 64;
const LONG_RUN = RUN * RUN;
const MAX_KEPT_BYTES = 1024 * 1024;
/** About what one that is kept takes beside its bytes. */
const NAME_BYTES = 128;

/**
 * Merges the updates that clients lack, since a frame for each keystroke would be mostly headers.
 * Whole runs, at numbers that are multiples of their length, are merged once and kept: whatever
 * clients lack, only its two ends are merged for one of them alone. For one outline.
 */
export class MergedTail {
  readonly #memory: DroppableMemory;
  #epoch = "";
  /** By length and number; undefined for what is too large to be merged [Q55]. */
  #kept = new Map<string, Uint8Array | undefined>();
  #keptBytes = 0;

  constructor(memory: DroppableMemory) {
    this.#memory = memory;
  }

  /**
   * In order, each made when it is taken, in some milliseconds.
   * @param updates those of the log of an epoch that follow `after`, without gaps
   */
  *parts(epoch: string, updates: readonly Uint8Array[], after: Seq): Generator<TailPart> {
    if (epoch !== this.#epoch) this.#forget(epoch);
    for (let start = 0; start < updates.length;) {
      const first = after + start;
      const long = this.#run(LONG_RUN, updates, start, first);
      const run = long ?? this.#run(RUN, updates, start, first);
      if (run !== undefined) {
        start += long === undefined ? RUN : LONG_RUN;
        yield { update: run, seq: after + start };
        continue;
      }
      const end = Math.min(updates.length, start + RUN - (first % RUN));
      const count = countOfRun(updates.slice(start, end));
      const update = mergedUpdate(updates.slice(start, start + count));
      start += count;
      yield { update, seq: after + start };
    }
  }

  /** The run that begins at a place in the updates, behind number `first`, if there is a whole one. */
  #run(
    length: number,
    updates: readonly Uint8Array[],
    start: number,
    first: Seq,
  ): Uint8Array | undefined {
    if (first % length !== 0 || start + length > updates.length) return undefined;
    const name = `${length}/${first}`;
    if (this.#kept.has(name)) return this.#kept.get(name);
    const merged =
      length === RUN
        ? mergedIfSmall(updates.slice(start, start + RUN))
        : this.#runOfRuns(updates, start, first);
    this.#keep(name, merged);
    return merged;
  }

  #runOfRuns(updates: readonly Uint8Array[], start: number, first: Seq): Uint8Array | undefined {
    const runs: Uint8Array[] = [];
    for (let at = 0; at < LONG_RUN; at += RUN) {
      const run = this.#run(RUN, updates, start + at, first + at);
      if (run === undefined) return undefined;
      runs.push(run);
    }
    return mergedIfSmall(runs);
  }

  #keep(name: string, merged: Uint8Array | undefined): void {
    const bytes = NAME_BYTES + (merged?.byteLength ?? 0);
    if (this.#keptBytes + bytes > MAX_KEPT_BYTES) this.#forget(this.#epoch);
    this.#keptBytes += bytes;
    this.#kept.set(name, merged);
    this.#memory.set(this.#keptBytes, () => this.#forget(this.#epoch));
  }

  #forget(epoch: string): void {
    this.#epoch = epoch;
    this.#kept = new Map();
    this.#keptBytes = 0;
    this.#memory.end();
  }
}

function mergedIfSmall(updates: readonly Uint8Array[]): Uint8Array | undefined {
  return countOfRun(updates) === updates.length ? mergedUpdate(updates) : undefined;
}
