import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";

export interface TurnFigures {
  /** The longest that the event loop was busy without a turn, by the processor's time of the process. */
  readonly longestTurnMs: number;
  /** The same by the wall clock: on a machine that others use, their time is in it. */
  readonly longestDelayMs: number;
  /** Collections of garbage are in both. */
  readonly longestCollectionMs: number;
}

const TICK_MS = 1;

/**
 * Measures how long the event loop of this process is blocked. Between two ticks of a timer the loop
 * was blocked no longer than the wall clock says, and worked no longer than the process's processor
 * time says, whatever else the machine did meanwhile.
 */
export class TurnMeter {
  readonly #delay = monitorEventLoopDelay({ resolution: TICK_MS });
  readonly #collections: PerformanceObserver;
  #longestTurnMs = 0;
  #longestCollectionMs = 0;

  constructor() {
    this.#delay.enable();
    this.#collections = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        this.#longestCollectionMs = Math.max(this.#longestCollectionMs, duration);
      }
    });
    this.#collections.observe({ entryTypes: ["gc"] });
    this.#tick(performance.now(), process.cpuUsage());
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

  #tick(since: number, cpuSince: NodeJS.CpuUsage): void {
    setTimeout(() => {
      const now = performance.now();
      const used = process.cpuUsage(cpuSince);
      const turnMs = Math.min(now - since, (used.user + used.system) / 1000);
      this.#longestTurnMs = Math.max(this.#longestTurnMs, turnMs);
      this.#tick(performance.now(), process.cpuUsage());
    }, TICK_MS).unref();
  }
}
