import { isReservedKey } from "../core/node-key.ts";
import type { Outline } from "../core/outline.ts";
import type { Seedling } from "../core/calendar/planter.ts";
import { htmlInSteps } from "../core/text/html.ts";
import { linesOfName } from "../core/text/line-break.ts";
import type { Origins } from "./origins-in.ts";
import type { OutlineEntry } from "./outline-entry.ts";

/**
 * What is to be made of an entry of a file or of the clipboard, in steps of a few milliseconds.
 * Nothing may ever have the key of a node that is gone, but the outline's own come back.
 * @param origins of the whole list
 */
export function* seedlingOfEntry(
  outline: Outline,
  entry: OutlineEntry,
  origins: Origins,
): Generator<void, Seedling> {
  const { depth, name, note, layout, createdAt, modifiedAt, completedAt } = entry;
  const key = entry.key && (origins.get(entry.key) ?? entry.key);
  const isTaken = key !== undefined && outline.isTaken(key);
  const ownKey = key !== undefined && isTaken && !isReservedKey(key) ? undefined : key;
  const origin = entry.origin && origins.get(entry.origin);
  if (origin !== undefined && (ownKey === undefined || !isReservedKey(ownKey))) {
    return { depth, key: ownKey, name: [], origin, createdAt };
  }
  return {
    depth,
    key: ownKey,
    name: yield* htmlInSteps(name, linesOfName(layout)),
    note: yield* htmlInSteps(note ?? ""),
    layout,
    createdAt,
    modifiedAt,
    completedAt: completedAt === "unknown" ? Math.floor(outline.now() / 1000) : completedAt,
  };
}
