import { setTimeout as delay } from "node:timers/promises";
import { processorMs } from "../hostile-messages/processor-time.ts";

/** Less work than this within a look, so often one after the other, and nothing is going on. */
const IDLE_MS = 0.4;
const IDLE_LOOKS = 2;
/** Nothing that was promised takes so long. */
const LONGEST_MS = 120_000;

/** Milliseconds that this thread has worked: of all threads where the kernel does not say that. */
export function threadMs(): number {
  const ms = processorMs("self");
  if (ms !== undefined) return ms;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Resolves when the process has nothing more to do, besides waiting.
 * @param isBusy whether something is known to be under way; that is waited for as long as work is done
 * @param onLook called now and then
 */
export async function quiet(isBusy: () => boolean, onLook?: () => void): Promise<void> {
  const startedMs = threadMs();
  let idle = 0;
  for (let waited = 0; idle < IDLE_LOOKS || (isBusy() && waited < 200);) {
    const before = threadMs();
    await delay(1);
    onLook?.();
    const workedMs = threadMs() - before;
    idle = workedMs < IDLE_MS ? idle + 1 : 0;
    waited = workedMs < IDLE_MS ? waited + 1 : 0;
    if (threadMs() - startedMs > LONGEST_MS) return;
  }
}
