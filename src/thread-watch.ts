import { performance, PerformanceObserver } from "node:perf_hooks";
import { setImmediate as yieldNow } from "node:timers/promises";
import { type LongTurn, Watchdog } from "./charges/watchdog.ts";

/** What is told of turns of the event loop that took long. */
export interface ThreadEvents {
  onLongTurn?(turn: LongTurn): void;
  /** The machine stood still, or garbage was collected. */
  onPause?(tookMs: number): void;
}

export interface ThreadWatch {
  readonly watchdog: Watchdog;
  readonly close: () => void;
}

/** A watchdog of this process's thread. */
export function watchThread(events: ThreadEvents): ThreadWatch {
  let collectedMs = 0;
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collectedMs += duration;
  });
  collections.observe({ entryTypes: ["gc"] });
  const watchdog = new Watchdog({
    elapsed: () => performance.now(),
    busy() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    collecting: () => collectedMs,
    async settle() {
      // Collections are told of in a turn after that in which they were.
      await yieldNow();
      await yieldNow();
    },
    onLong: (turn) => events.onLongTurn?.(turn),
    onPause: (tookMs) => events.onPause?.(tookMs),
  });
  return { watchdog, close: () => collections.disconnect() };
}
