import { setTimeout as pause } from "node:timers/promises";

/** Long enough for a machine on which much else runs. In the form that vitest's `poll` takes. */
export const SOON = { timeout: 60_000, interval: 20 };

/** Reads again and again until a check answers; in the end throws what it threw last. */
export async function eventually<T, Checked>(
  read: () => Promise<T>,
  check: (value: T) => Checked,
  { timeout, interval } = SOON,
): Promise<Checked> {
  const until = performance.now() + timeout;
  for (;;) {
    const value = await read();
    try {
      return check(value);
    } catch (error) {
      if (performance.now() > until) throw error;
    }
    await pause(interval);
  }
}
