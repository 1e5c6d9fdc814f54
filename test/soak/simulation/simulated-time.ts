import type { Agenda } from "./agenda.ts";

/** What a look at the clock seems to cost, so that long work is done in slices. */
const LOOK_MS = 0.4;

/**
 * Runs `work` while the clock and the timers of this process are those of a simulated world: for the
 * few places that do not get theirs handed in (slices of long work, the websocket library).
 */
export async function inSimulatedTime<T>(agenda: Agenda, work: () => Promise<T>): Promise<T> {
  const { setTimeout, clearTimeout } = globalThis;
  let looks = 0;
  performance.now = () => agenda.elapsed() + looks++ * LOOK_MS;
  const simulated = (callback: () => void, ms = 0): unknown => agenda.after(ms, callback);
  const stop = (handle: unknown): void => {
    if (typeof handle === "function") handle();
  };
  Object.assign(globalThis, { setTimeout: simulated, clearTimeout: stop });
  try {
    return await work();
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    // Its own one comes to light again.
    Reflect.deleteProperty(performance, "now");
  }
}
