import { shownLayout } from "../../src/core/node/layout.ts";
import type { PlacedEntry } from "../../src/formats/outline-entries.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";

/** What a list of entries is placed as, found from the list alone: who stands where a heading may. */
export function placed(entries: readonly OutlineEntry[]): readonly PlacedEntry[] {
  const headings = new Map<number, number>();
  const parents = entries.map((_, index) => parentOf(entries, index));
  const extend = (parent: number): void => {
    const children = [...entries.keys()].filter((index) => parents[index] === parent);
    const level = levelOf(entries[children.at(-1) ?? -1]);
    if (level === undefined || level <= (headings.get(parent) ?? 0)) return;
    for (const child of children.toReversed()) {
      if (levelOf(entries[child]) !== level) break;
      headings.set(child, level);
    }
  };
  extend(-1);
  for (const index of entries.keys()) if (headings.has(index)) extend(index);
  return entries.map((entry, index) => {
    const heading = headings.get(index);
    return { entry, ...(heading !== undefined && { heading }) };
  });
}

function parentOf(entries: readonly OutlineEntry[], index: number): number {
  const depth = entries[index]?.depth ?? 0;
  for (let at = index - 1; at >= 0; at -= 1) if ((entries[at]?.depth ?? 0) < depth) return at;
  return -1;
}

function levelOf(entry: OutlineEntry | undefined): number | undefined {
  if (entry === undefined || entry.completedAt !== undefined) return undefined;
  const level = ["h1", "h2", "h3"].indexOf(shownLayout(entry.layout)) + 1;
  return level === 0 ? undefined : level;
}
