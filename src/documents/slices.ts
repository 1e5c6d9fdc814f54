import type { Timers } from "./timers.ts";

/** How long work may keep others waiting at a time. */
export const SLICE_MS = 8;

/**
 * Runs a generator to its end in slices: after some milliseconds it waits for a turn of the event
 * loop. `take` gets what it yields. The generator's steps must be shorter than a slice.
 */
export async function runInSlices<Step, Result>(
  work: Generator<Step, Result>,
  timers: Timers,
  take: (step: Step) => void = () => undefined,
): Promise<Result> {
  for (;;) {
    const end = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
      take(step.value);
    } while (performance.now() < end);
    await timers.yieldNow();
  }
}
