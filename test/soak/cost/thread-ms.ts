import { setImmediate as yieldNow, setTimeout as delay } from "node:timers/promises";
import { ownProcessorMs } from "../hostile-messages/processor-time.ts";

/** Less work than this within a look, and nothing is going on. */
const IDLE_MS = 0.4;
/** Turns of the event loop that make a look. */
const TURNS = 8;
/** Looks without work before there is nothing more to do: a request that is not read yet is nobody's. */
const IDLE_LOOKS = 10;
/** Looks without work in which something is waited for that is under way. */
const MOST_IDLE_LOOKS = 500;
/** Nothing that was promised takes so long. */
const LONGEST_MS = 120_000;

/** Milliseconds that this thread has worked: of all threads where the kernel does not say that. */
export function threadMs(): number {
  const ms = ownProcessorMs();
  if (ms !== undefined) return ms;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Resolves when the process has nothing more to do, besides waiting.
 * @param isBusy whether something is known to be under way; that is waited for as long as work is done
 * @param onLook called now and then
 * @returns milliseconds that the thread has worked, without those of looking
 */
export async function quiet(isBusy: () => boolean, onLook?: () => void): Promise<number> {
  let workedMs = 0;
  let idle = 0;
  while (idle < IDLE_LOOKS || (isBusy() && idle < MOST_IDLE_LOOKS)) {
    const before = threadMs();
    for (let turns = TURNS; turns > 0; turns--) await yieldNow();
    // What waits for a timer; seldom, since a busy machine takes its time to wake somebody up.
    if (threadMs() - before < IDLE_MS) await delay(1);
    const tookMs = threadMs() - before;
    // On a slow machine the look itself may take longer than what counts as work.
    const isIdle = tookMs < IDLE_MS;
    idle = isIdle ? idle + 1 : 0;
    if (!isIdle) workedMs += tookMs;
    onLook?.();
    if (workedMs > LONGEST_MS) break;
  }
  return workedMs;
}
