import { setImmediate as yieldNow } from "node:timers/promises";
import { type LongTurn, Watchdog } from "../../src/charges/watchdog.ts";

/** A watchdog that takes all work for long while it is told to. */
export interface SlowWatchdog {
  readonly watchdog: Watchdog;
  /** How long it takes all work to last from now on. */
  readonly workLasts: (ms: number) => void;
  /** Lets time pass. */
  readonly pass: (ms: number) => void;
  readonly seen: readonly LongTurn[];
}

export function slowWatchdog(): SlowWatchdog {
  let time = 0;
  let step = 0;
  const seen: LongTurn[] = [];
  // Looked at when work begins and when it ends.
  const elapsed = (): number => (time += step);
  const watchdog = new Watchdog({
    elapsed,
    busy: () => time,
    collecting: () => 0,
    settle: () => yieldNow(),
    onLong: (turn) => seen.push(turn),
    onPause: () => undefined,
  });
  return {
    watchdog,
    workLasts: (ms) => {
      step = ms;
    },
    pass: (ms) => {
      time += ms;
    },
    seen,
  };
}
