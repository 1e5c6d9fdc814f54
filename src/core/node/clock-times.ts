import type { ArrivalRange } from "./arrival-record.ts";
import { countUpTo } from "../count-while.ts";

/**
 * For one client: a time for each clock, 0 where none is known. Kept as the clocks at which the time
 * changes. O(log changes) to read; to write at the end, where nearly all is written, no more.
 */
export class ClockTimes {
  /** Ascending. */
  readonly #clocks: number[] = [];
  /** From the clock of the same index up to the next one. */
  readonly #times: number[] = [];

  at(clock: number): number {
    return this.#times[countUpTo(this.#clocks, clock) - 1] ?? 0;
  }

  /** The clocks that have a time, ascending. */
  ranges(): readonly ArrivalRange[] {
    const ranges: ArrivalRange[] = [];
    for (const [index, from] of this.#clocks.entries()) {
      const end = this.#clocks[index + 1];
      const at = this.#times[index] ?? 0;
      if (end !== undefined && at > 0) ranges.push({ from, end, at });
    }
    return ranges;
  }

  /** Gives the clocks `[from, end)` a time, where they have no later one: in any order the same. */
  raise(from: number, end: number, time: number): void {
    if (from >= end) return;
    const first = this.#cutAt(from);
    const behind = this.#cutAt(end);
    for (let index = first; index < behind; index++) {
      this.#times[index] = Math.max(this.#times[index] ?? 0, time);
    }
    for (let index = behind; index >= Math.max(first, 1); index--) {
      if (this.#times[index] !== this.#times[index - 1]) continue;
      this.#clocks.splice(index, 1);
      this.#times.splice(index, 1);
    }
  }

  /** The index of a clock, at which the time changes from now on. */
  #cutAt(clock: number): number {
    const index = countUpTo(this.#clocks, clock);
    if (this.#clocks[index - 1] === clock) return index - 1;
    this.#clocks.splice(index, 0, clock);
    this.#times.splice(index, 0, this.#times[index - 1] ?? 0);
    return index;
  }
}
