/** A client process that opens many connections at once and keeps them, for the sync benchmark. */
import { setTimeout as delay } from "node:timers/promises";
import { openSocket } from "./sync-sockets.ts";
import { serveBench } from "./server-process.ts";

export interface ConnectorRole {
  readonly url: string;
  readonly keys: readonly string[];
  readonly count: number;
  readonly withinMs: number;
}

export interface Connected {
  readonly failed: number;
}

serveBench<ConnectorRole, Connected>(async ({ url, keys, count, withinMs }) => {
  let failed = 0;
  const opening: Promise<unknown>[] = [];
  const start = performance.now();
  for (let index = 0; index < count; index++) {
    const wait = start + (index * withinMs) / count - performance.now();
    if (wait > 1) await delay(wait);
    opening.push(openSocket(url, keys[index % keys.length] ?? "").catch(() => failed++));
  }
  await Promise.all(opening);
  return { failed };
});
