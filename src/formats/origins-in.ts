import { isReservedKey, type NodeKey } from "../core/node-key.ts";
import type { Outline } from "../core/outline.ts";
import type { OutlineEntry } from "./outline-entry.ts";

/** By the key that an entry with mirrors would like to keep, the one that its node gets. */
export type Origins = ReadonlyMap<NodeKey, NodeKey>;

/** The entries of which others of the same list are mirrors; a mirror is not among them. */
export function originsIn(outline: Outline, entries: readonly OutlineEntry[]): Origins {
  const named = new Set(entries.flatMap(({ origin }) => origin ?? []));
  const origins = new Map<NodeKey, NodeKey>();
  if (named.size === 0) return origins;
  for (const { key, origin } of entries) {
    if (key === undefined || origin !== undefined || !named.has(key)) continue;
    const isTaken = outline.isTaken(key) && !isReservedKey(key);
    origins.set(key, isTaken ? outline.freeKey() : key);
  }
  return origins;
}
