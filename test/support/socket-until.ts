import { setTimeout as wait } from "node:timers/promises";

const DEADLINE_MS = 15_000;

/** Waits for what other processes and sockets bring about. @throws Error when it never comes */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = "it",
): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited too long for ${what}`);
    await wait(2);
  }
}
