import { shownLayout, type ShownLayout } from "../core/node/layout.ts";
import type { NodeHead } from "../core/node/node-reader.ts";
import type { TreeRow } from "../core/tree/tree-row.ts";

const LEVELS: Partial<Record<ShownLayout, number>> = { h1: 1, h2: 2, h3: 3 };

/** What the top level counts as: any heading may stand in it. */
export const TOP_LEVEL = 0;

/** Siblings that are looked at in a step. */
const STEP = 250;

/** The last of some siblings, all of one level. */
export interface Headings {
  readonly level: number;
  /** The rank of the first. */
  readonly from: number;
}

/**
 * Those of some siblings that markdown can show as headings outside a list. All that follows a heading
 * is below it up to the next one of its level or a higher one. So these are the last children of the top
 * level or of such a heading, as far back as all are headings of one level that is lower than their
 * parent's. Undefined when there are none; in steps.
 * @param above the level of the heading that the siblings are below
 */
export function* lastHeadings(
  source: { headOf(row: TreeRow): NodeHead | undefined },
  siblings: readonly TreeRow[],
  above: number,
): Generator<undefined, Headings | undefined> {
  let found: Headings | undefined;
  for (let rank = siblings.length - 1; rank >= 0; rank -= 1) {
    const row = siblings[rank];
    const level = levelOf(row && source.headOf(row));
    if (level === undefined || level <= above || level !== (found?.level ?? level)) break;
    found = { level, from: rank };
    if (rank % STEP === 0) yield undefined;
  }
  return found;
}

/** The level of a heading that may stand outside a list: a completed one needs its box. */
function levelOf(head: NodeHead | undefined): number | undefined {
  return head === undefined || head.completedAt !== null
    ? undefined
    : LEVELS[shownLayout(head.layout)];
}
