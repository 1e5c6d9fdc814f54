import type { NodeKey } from "../../../src/core/node-key.ts";
import { isRecord } from "./is-record.ts";

/** What another app has shared: any of the three may be empty. */
export interface SharedText {
  /** Where it waits. */
  readonly path: string;
  /** Of the line that it becomes: made of the last digits of its path, which are random. */
  readonly key: NodeKey;
  readonly title: string;
  readonly text: string;
  readonly url: string;
}

/** Where the service worker leaves it, until an outline has it. */
const CACHE = "outline-shared";

/** All that waits, the oldest first. */
export async function readShared(): Promise<readonly SharedText[]> {
  // Absent in pages without TLS, to which nothing can be shared either.
  if (!("caches" in globalThis) || !(await caches.has(CACHE))) return [];
  const cache = await caches.open(CACHE);
  const shared: SharedText[] = [];
  for (const { url } of await cache.keys()) {
    const value: unknown = await (await cache.match(url))?.json();
    if (!isRecord(value)) continue;
    const textOf = (name: string): string => {
      const text = value[name];
      return typeof text === "string" ? text : "";
    };
    shared.push({
      path: url,
      key: `f${url.slice(-11)}` as NodeKey,
      title: textOf("title"),
      text: textOf("text"),
      url: textOf("url"),
    });
  }
  return shared;
}

export async function forgetShared(shared: readonly SharedText[]): Promise<void> {
  if (shared.length === 0) return;
  const cache = await caches.open(CACHE);
  for (const { path } of shared) await cache.delete(path);
}
