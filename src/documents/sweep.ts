import type { OutlineId } from "../core/node-key.ts";
import type { OutlineInMemory } from "./outline-in-memory.ts";
import type { Timers } from "./timers.ts";
import type { Unloading } from "./unloading.ts";

/** Does again and again what is due of outlines in memory, as long as there are any. */
export class Sweep {
  readonly #outlines: ReadonlyMap<OutlineId, OutlineInMemory>;
  readonly #unloading: Unloading;
  readonly #timers: Timers;
  readonly #everyMs: number;
  #next: unknown;
  #isOver = false;

  constructor(
    outlines: ReadonlyMap<OutlineId, OutlineInMemory>,
    unloading: Unloading,
    timers: Timers,
    everyMs: number,
  ) {
    this.#outlines = outlines;
    this.#unloading = unloading;
    this.#timers = timers;
    this.#everyMs = everyMs;
  }

  /** To be called when there is an outline. */
  later(): void {
    if (this.#next !== undefined || this.#isOver) return;
    this.#next = this.#timers.setTimeout(() => {
      this.#next = undefined;
      this.#unloading.unloadIdle();
      for (const { loaded } of this.#outlines.values()) {
        loaded?.live.arrivals.recordIfDue();
        loaded?.live.purging.startIfDue();
      }
      if (this.#outlines.size > 0) this.later();
    }, this.#everyMs);
  }

  end(): void {
    this.#isOver = true;
    this.#timers.clearTimeout(this.#next);
  }
}
