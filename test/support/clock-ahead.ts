import { onTestFinished, vi } from "vitest";

/**
 * Lets the clock of this process be set forward until the test ends. It goes on from there; timers
 * know nothing of it. What keeps `Date.now` has to be made behind this call.
 * @returns sets it forward by so many milliseconds
 */
export function clockAhead(): (ms: number) => void {
  const { now } = Date;
  let aheadMs = 0;
  const spy = vi.spyOn(Date, "now").mockImplementation(() => now() + aheadMs);
  onTestFinished(() => spy.mockRestore());
  return (ms) => {
    aheadMs += ms;
  };
}
