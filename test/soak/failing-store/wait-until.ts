import { setTimeout as delay } from "node:timers/promises";

/** Only what never happens takes so long. */
const DEADLINE_MS = 110_000;

/** Looks again and again until something has come about. @throws Error when it never does */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string),
): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) {
      throw new Error(`waited too long until ${typeof what === "string" ? what : what()}`);
    }
    await delay(10);
  }
}
