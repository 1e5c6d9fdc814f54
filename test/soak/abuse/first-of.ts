import { type EventEmitter, once } from "node:events";

/** Resolves at the first of these events, or when the emitter fails. Never rejects. */
export async function firstOf(emitter: EventEmitter, ...events: readonly string[]): Promise<void> {
  const over = new AbortController();
  const heard = events.map((event) => once(emitter, event, { signal: over.signal }));
  await Promise.race(heard).catch(() => undefined);
  over.abort();
}
