import { setTimeout as delay } from "node:timers/promises";

/** Something that should have come to an end long ago. */
export class TimeUp extends Error {
  override readonly name = "TimeUp";
}

/** @throws TimeUp when the work does not come to an end */
export async function withinTime<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  const over = new AbortController();
  const overdue = delay(ms, undefined, { signal: over.signal }).then(() => {
    throw new TimeUp(`${what} did not come to an end in ${ms} ms`);
  });
  overdue.catch(() => undefined);
  try {
    return await Promise.race([work, overdue]);
  } finally {
    over.abort();
  }
}
