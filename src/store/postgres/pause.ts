import type { Timers } from "../../documents/turns/timers.ts";

/** What a process has to do in time. */
export type Alarms = Pick<Timers, "setTimeout" | "clearTimeout">;

/** Resolves in so many milliseconds. */
export function pause(alarms: Alarms, ms: number): Promise<void> {
  return new Promise((resolve) => {
    alarms.setTimeout(resolve, ms);
  });
}
