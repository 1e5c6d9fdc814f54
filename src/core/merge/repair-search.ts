import type * as Y from "yjs";
import type { Duplicates } from "./done-twice.ts";
import type { LateFinding } from "./late-texts.ts";
import type { NodeKey } from "../node-key.ts";
import { textLengthOf } from "../node/node-reader.ts";
import type { Outline } from "../outline.ts";
import type { Placement } from "../tree/placement.ts";
import { needsRebalance } from "../tree/rebalance.ts";
import type { RepairNotes } from "./repair-notes.ts";
import type { RepairCounts, RepairSteps } from "./repair-steps.ts";
import { mayBringBack, returningRows } from "../tree/return-rescued.ts";
import { nodesOf, textOf } from "../schema.ts";
import { originIn } from "../tree/tree-source.ts";
import type { TreeRow } from "../tree/tree-row.ts";
import type { Unseen } from "./unseen.ts";

/** What one round of repair has to do. */
export interface Found {
  readonly laterMoves: readonly Moved[];
  /** Reserved nodes that are to be made again. */
  readonly unmade: readonly NodeKey[];
  /** Nodes that somebody has made again under keys that were deleted for good. */
  readonly again: readonly TreeRow[];
  /** Texts of mirrors that have something of their own. */
  readonly unmirrored: readonly Y.Text[];
  /** Undefined when nothing was. */
  readonly twice: Duplicates | undefined;
  /** Fallen rows that are to be written down where they are shown. */
  readonly lasting: readonly TreeRow[];
  readonly voided: readonly TreeRow[];
  readonly rescued: ReadonlySet<TreeRow>;
  /** Rows that were rescued before out of what is shown again. */
  readonly returned: readonly TreeRow[];
  /** Text of lines that are gone for good. */
  readonly kept: readonly LateFinding[];
  /** Rows with long orders. */
  readonly long: readonly TreeRow[];
  /** Whether it is to be recorded when things came. */
  readonly hasArrivals: boolean;
}

interface Moved {
  readonly row: TreeRow;
  readonly placement: Placement;
}

export interface SearchOptions {
  readonly outline: Outline;
  readonly notes: RepairNotes;
  readonly unseen: Unseen;
  readonly steps: RepairSteps;
  /** The update up to which everything has been decided. */
  readonly settled: number;
}

/** Nodes that are looked at between two yields. */
const GLANCE = 512;
const NO_ROWS: ReadonlySet<TreeRow> = new Set();

/** What is to be done for all that was noted since this was last asked. */
export function* searchRepairs(options: SearchOptions): Generator<void, Found> {
  const { outline, notes, unseen, steps, settled } = options;
  const { tree } = outline;
  const laterMoves: Moved[] = [];
  for (const [key, placement] of notes.lostMoves) {
    const row = tree.rowAt(key);
    if (row !== undefined) laterMoves.push({ row, placement });
  }
  notes.lostMoves.clear();
  const twice = steps.doneTwice ? yield* notes.doneTwice.find() : undefined;
  notes.doneTwice.clear();
  const unmade = [...notes.unmade];
  notes.unmade.clear();
  const unmirrored = [...notes.mirrors].flatMap((key) => mirrorWithText(outline, key) ?? []);
  notes.mirrors.clear();
  const again = notes.removedKeys.take().flatMap((key) => tree.rowAt(key) ?? []);
  const lasting = steps.writeDown ? tree.lastingFallen() : [];
  const placed: TreeRow[] = [];
  const long: TreeRow[] = [];
  let isReturning = notes.isFirst;
  let looked = 0;
  for (const key of notes.placed) {
    if (++looked % GLANCE === 0) yield;
    const row = tree.rowAt(key);
    if (row === undefined) continue;
    placed.push(row);
    isReturning ||= mayBringBack(row, tree);
    if (needsRebalance(row, tree)) long.push(row);
  }
  notes.placed.clear();
  const { voided, rescued } = yield* unseen.findings(placed, settled);
  const isLooking = steps.returns && isReturning && placed.length > 0;
  const returned = isLooking ? yield* returningRows(tree) : [];
  if (placed.length > 0) notes.isFirst = false;
  const kept = yield* notes.lateTexts.find(placed);
  return {
    laterMoves,
    unmade,
    again,
    unmirrored,
    twice,
    lasting,
    voided: steps.voidDeletions ? [...voided] : [],
    rescued: steps.rescue ? rescued : NO_ROWS,
    returned,
    kept: steps.keepText ? kept : [],
    long,
    hasArrivals: notes.unrecorded.isUrgent,
  };
}

/** The text of a mirror in which, or in whose notes, something stands; undefined for any other node. */
function mirrorWithText({ doc }: Outline, key: NodeKey): Y.Text | undefined {
  const text = textOf(nodesOf(doc), key);
  const isMirror = text !== undefined && originIn(key, text) !== undefined;
  return isMirror && textLengthOf(text) > 0 ? text : undefined;
}

export function isNothing({ twice, rescued, hasArrivals, ...lists }: Found): boolean {
  if (twice !== undefined || hasArrivals || rescued.size > 0) return false;
  return Object.values(lists).every(({ length }) => length === 0);
}

/** Adds what was found to the counts. */
export function countFound(counts: RepairCounts, found: Found): void {
  counts.laterMove += found.laterMoves.length;
  counts.remade += found.unmade.length;
  counts.deletedAgain += found.again.length;
  counts.unmirrored += found.unmirrored.length;
  counts.sameEdit += found.twice?.texts.size ?? 0;
  counts.mended += found.twice?.additions.length ?? 0;
  counts.sameSplit += found.twice?.halves.size ?? 0;
  counts.writtenDown += found.lasting.length;
  counts.voided += found.voided.length;
  counts.rescued += found.rescued.size;
  counts.returned += found.returned.length;
  counts.kept += found.kept.length;
  counts.rebalanced += found.long.length;
}
