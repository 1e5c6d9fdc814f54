import type { Timers } from "../../documents/turns/timers.ts";

/** Waits so long, or until the signal. */
export async function pause(
  timers: Pick<Timers, "setTimeout" | "clearTimeout">,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      timers.clearTimeout(alarm);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const alarm = timers.setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
