import { setTimeout as wait } from "node:timers/promises";

const PATIENCE_MS = 15_000;

/** Waits for what other processes and sockets bring about. @throws Error when it never comes */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = "it",
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited too long for ${what}`);
    await wait(2);
  }
}
