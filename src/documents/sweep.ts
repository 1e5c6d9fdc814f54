import type { OutlineId } from "../core/node-key.ts";
import type { OutlineInMemory } from "./outline-in-memory.ts";
import type { Timers } from "./turns/timers.ts";
import type { Unloading } from "./unloading.ts";

export interface SweepOptions {
  readonly outlines: ReadonlyMap<OutlineId, OutlineInMemory>;
  readonly unloading: Unloading;
  readonly timers: Timers;
  readonly everyMs: number;
}

/** Does again and again what is due of outlines in memory, as long as there are any. */
export class Sweep {
  readonly #options: SweepOptions;
  #next: unknown;
  #isOver = false;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  /** To be called when there is an outline. */
  later(): void {
    if (this.#next !== undefined || this.#isOver) return;
    const { outlines, unloading, timers, everyMs } = this.#options;
    this.#next = timers.setTimeout(() => {
      this.#next = undefined;
      unloading.unloadIdle();
      for (const { loaded } of outlines.values()) {
        loaded?.live.arrivals.recordIfDue();
        loaded?.live.purging.startIfDue();
      }
      if (outlines.size > 0) this.later();
    }, everyMs);
  }

  end(): void {
    this.#isOver = true;
    this.#options.timers.clearTimeout(this.#next);
  }
}
