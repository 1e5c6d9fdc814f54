import { shownLayout, type ShownLayout } from "../core/layout.ts";
import type { OutlineEntry } from "./outline-entry.ts";

const LEVELS: Partial<Record<ShownLayout, number>> = { h1: 1, h2: 2, h3: 3 };

/** The level of a heading that may stand outside a list: a completed one needs its box. */
function levelOf(entry: OutlineEntry | undefined): number | undefined {
  return entry === undefined || entry.completedAt !== undefined
    ? undefined
    : LEVELS[shownLayout(entry.layout)];
}

/**
 * The entries (by index) that markdown can show as headings outside a list. All that follows a
 * heading is below it up to the next one of its level or a higher one. So these are the last
 * children of the top level or of such a heading, as far back as all are headings of one level that
 * is lower than their parent's.
 */
export function sectionsOf(entries: readonly OutlineEntry[]): ReadonlySet<number> {
  const sections = new Set<number>();
  const { lastChildOf, previousSiblingOf } = familyOf(entries);
  const extend = (parent: number): void => {
    let child = lastChildOf.get(parent);
    const level = levelOf(child === undefined ? undefined : entries[child]);
    if (level === undefined || level <= (levelOf(entries[parent]) ?? 0)) return;
    while (child !== undefined && levelOf(entries[child]) === level) {
      sections.add(child);
      child = previousSiblingOf.get(child);
    }
  };
  extend(TOP);
  // A parent stands before its children, so it is known by then whether it is a section.
  for (const index of entries.keys()) if (sections.has(index)) extend(index);
  return sections;
}

/** The index that stands for the top level. */
const TOP = -1;

function familyOf(entries: readonly OutlineEntry[]) {
  const lastChildOf = new Map<number, number>();
  const previousSiblingOf = new Map<number, number>();
  const path: number[] = [];
  for (const [index, { depth }] of entries.entries()) {
    path.length = depth;
    const parent = path.at(-1) ?? TOP;
    const previous = lastChildOf.get(parent);
    if (previous !== undefined) previousSiblingOf.set(index, previous);
    lastChildOf.set(parent, index);
    path.push(index);
  }
  return { lastChildOf, previousSiblingOf };
}
