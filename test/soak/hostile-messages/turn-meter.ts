import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { ownProcessorMs } from "./processor-time.ts";

export interface TurnFigures {
  /** The longest that the event loop was busy without a turn, by the processor's time of its thread. */
  readonly longestTurnMs: number;
  /** The same by the wall clock: on a machine that others use, their time is in it. */
  readonly longestDelayMs: number;
  /** Collections of garbage are in both. */
  readonly longestCollectionMs: number;
}

const TICK_MS = 1;

/** Where the event loop's thread alone can't be asked about, all of the process is. */
function workedMs(): number {
  const { user, system } = process.cpuUsage();
  return ownProcessorMs() ?? (user + system) / 1000;
}

/**
 * Measures how long the event loop of this process is blocked. Between two ticks of a timer the loop
 * was blocked no longer than the wall clock says, and worked no longer than the processor's time
 * says, whatever else the machine did meanwhile.
 */
export class TurnMeter {
  readonly #delay = monitorEventLoopDelay({ resolution: TICK_MS });
  readonly #collections: PerformanceObserver;
  #longestTurnMs = 0;
  #longestCollectionMs = 0;
  #isLeftOut = false;

  constructor() {
    this.#delay.enable();
    this.#collections = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        this.#longestCollectionMs = Math.max(this.#longestCollectionMs, duration);
      }
    });
    this.#collections.observe({ entryTypes: ["gc"] });
    this.#tick();
  }

  /** This turn is not the server's own work: what is measured next counts for nothing. */
  leaveOut(): void {
    this.#isLeftOut = true;
  }

  /** Since the last time that this was asked. */
  take(): TurnFigures {
    const figures = {
      longestTurnMs: this.#longestTurnMs,
      longestDelayMs: this.#delay.max / 1e6,
      longestCollectionMs: this.#longestCollectionMs,
    };
    this.#longestTurnMs = 0;
    this.#longestCollectionMs = 0;
    this.#delay.reset();
    return figures;
  }

  #tick(): void {
    const since = performance.now();
    const worked = workedMs();
    setTimeout(() => {
      const turnMs = Math.min(performance.now() - since, workedMs() - worked);
      if (!this.#isLeftOut) this.#longestTurnMs = Math.max(this.#longestTurnMs, turnMs);
      this.#isLeftOut = false;
      this.#tick();
    }, TICK_MS).unref();
  }
}
