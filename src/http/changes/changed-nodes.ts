import type { NodeKey } from "../../core/node-key.ts";
import { sortInSlices } from "../../core/sort-in-slices.ts";
import { foundAbove, isShown, type TreeRow } from "../../core/tree/tree-row.ts";
import type { ChangeJournal } from "../../documents/replica/change-journal.ts";
import { PastPlaces } from "../../documents/replica/past-places.ts";
import type { ScopedOutline } from "../scoped-outline.ts";

/** Where something stands among what is told. */
export interface Rank {
  readonly number: number;
  readonly key: NodeKey;
}

/** A node that has changed, by the last change that is a reason to tell of it. */
export interface ToldNode extends Rank {
  /** A copy may have it in another list of children, or at another rank of it, or not at all. */
  readonly isPlaced: boolean;
}

/** What has changed in a part of an outline. */
export interface Span {
  /** Only what is at and below this node, or all. */
  readonly within: NodeKey;
  /** The number of the change behind which it begins. */
  readonly since: number;
}

export interface Told {
  /** In the order of the changes; those of one number by their keys. */
  readonly changed: readonly ToldNode[];
  /** What of the outline this was found out for: up to this change. */
  readonly upTo: number;
}

/** Rows between two yields: a millisecond of work or less. */
const SLICE = 500;
/** The same of steps into the past. */
const LONG_LOOK = 5_000;

export function compareTold(a: Rank, b: Rank): number {
  if (a.number !== b.number) return a.number - b.number;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/**
 * Finds the nodes that a copy lacks or has otherwise. That is what has changed and is in sight; with
 * all that is below it what was out of sight at any time, since a copy need not have any of that; and
 * the mirrors of what has changed.
 *
 * What changes while this works in slices has greater numbers, and whoever has taken all of what was
 * found finds it behind that.
 */
export function* changedNodes(
  view: ScopedOutline,
  journal: ChangeJournal,
  { within, since }: Span,
): Generator<void, Told> {
  const { outline } = view;
  const { mirrors } = outline.tree;
  const upTo = journal.last;
  const past = new PastPlaces(outline, journal, since, within);
  const reach = view.top === within ? past : new PastPlaces(outline, journal, since, view.top);
  const told = new Map<NodeKey, number>();
  const returned = new Map<NodeKey, number>();
  const stayed = new Set<NodeKey>();
  const placed = new Set<NodeKey>();
  const sight = new Sight(view, within);
  let steps = 0;
  let looked = 0;
  for (const change of journal.after(since)) {
    if (++steps % SLICE === 0 || past.steps - looked > LONG_LOOK) {
      looked = past.steps;
      yield* sight.rest();
    }
    const { key, number } = change;
    tell(told, key, number);
    if (change.before !== undefined) placed.add(key);
    if (change.before === undefined || stayed.has(key) || !sight.holdsNodes(key)) continue;
    if (returned.has(key) || past.wasOutOfSight(key)) returned.set(key, number);
    else stayed.add(key);
  }
  for (const [key, number] of mirrors.size === 0 ? [] : [...told]) {
    if (++steps % SLICE === 0) yield;
    const copies = mirrors.of(key);
    // Of an origin that a limited key has never reached it is not told that it has changed.
    if (copies.size === 0 || !(view.reaches(key) || reach.wasInSight(key))) continue;
    for (const mirror of copies) {
      if (++steps % SLICE === 0) yield;
      tell(told, mirror.key, number);
    }
  }
  const known = new Map<TreeRow, boolean>();
  const isReturned = ({ key }: TreeRow): true | undefined => returned.has(key) || undefined;
  for (const key of returned.keys()) {
    if (++steps % SLICE === 0) {
      known.clear();
      yield;
    }
    const row = outline.tree.visibleRow(key);
    if (row?.parent === undefined || foundAbove(row.parent, known, isReturned, false)) continue;
    const numbers = new Map<NodeKey, number>([[key, returned.get(key) ?? 0]]);
    for (const { row: below, parent } of outline.rowsInOrder(key)) {
      if (++steps % SLICE === 0) {
        known.clear();
        yield;
      }
      const number = Math.max(numbers.get(parent.key) ?? 0, returned.get(below.key) ?? 0);
      if (below.children.length > 0) numbers.set(below.key, number);
      tell(told, below.key, number);
      placed.add(below.key);
    }
  }
  const nodes: ToldNode[] = [];
  sight.forget();
  for (const [key, number] of told) {
    if (++steps % SLICE === 0) yield* sight.rest();
    if (sight.has(key)) nodes.push({ number, key, isPlaced: placed.has(key) });
  }
  return { changed: yield* sortInSlices(nodes, compareTold), upTo };
}

/**
 * Finds what a copy has to remove once it has taken all that has changed: the topmost of what was in
 * sight at any time and is not any more.
 * @returns undefined when something has changed meanwhile
 */
export function* removedNodes(
  view: ScopedOutline,
  journal: ChangeJournal,
  { within, since }: Span,
  upTo: number,
): Generator<void, readonly NodeKey[] | undefined> {
  const { outline } = view;
  const past = new PastPlaces(outline, journal, since, within);
  const sight = new Sight(view, within);
  const removed = new Set<NodeKey>();
  const known = new Set<NodeKey>();
  let steps = 0;
  let looked = 0;
  for (const { key, before } of journal.after(since)) {
    if (++steps % SLICE === 0 || past.steps - looked > LONG_LOOK) {
      looked = past.steps;
      yield* sight.rest();
    }
    if (journal.last !== upTo) return undefined;
    if (before === undefined || known.has(key)) continue;
    known.add(key);
    if (sight.has(key)) continue;
    if (!isBelowRemoved(sight, journal, since, key) && past.wasInSight(key)) {
      removed.add(key);
    }
  }
  return [...removed];
}

/** Finds the nodes in sight of which a copy may have other children, or the same in another order. */
export function* changedLists(
  view: ScopedOutline,
  journal: ChangeJournal,
  { within, since }: Span,
  changed: readonly ToldNode[],
): Generator<void, readonly NodeKey[]> {
  const { outline } = view;
  const sight = new Sight(view, within);
  const parents = new Set<NodeKey>();
  let steps = 0;
  for (const { key, isPlaced } of changed) {
    if (++steps % SLICE === 0) yield;
    const parent = isPlaced ? outline.tree.rowAt(key)?.parent : undefined;
    if (parent !== undefined) parents.add(parent.key);
  }
  for (const { before } of journal.after(since)) {
    if (++steps % SLICE === 0) yield;
    if (before?.parent !== undefined && !before.isHidden) parents.add(before.parent);
  }
  const lists: NodeKey[] = [];
  for (const parent of parents) {
    if (++steps % SLICE === 0) yield* sight.rest();
    if (parent === within || sight.has(parent)) lists.push(parent);
  }
  return lists;
}

/** Whether all that a node ever was in is out of sight now, and the same: then it goes with that. */
function isBelowRemoved(
  sight: Sight,
  journal: ChangeJournal,
  since: number,
  key: NodeKey,
): boolean {
  if (key === sight.within) return false;
  const parents = new Set<NodeKey | undefined>([sight.tree.rowAt(key)?.parent?.key]);
  let change = journal.latest(key);
  for (; change !== undefined && change.number > since; change = change.earlier) {
    if (change.before !== undefined) parents.add(change.before.parent);
  }
  parents.delete(undefined);
  const [parent] = parents;
  return parents.size === 1 && parent !== undefined && !sight.has(parent);
}

/** What is visible at and below a node. Of the way up from many nodes all that is common is passed about once. */
class Sight {
  readonly within: NodeKey;
  readonly tree: ScopedOutline["outline"]["tree"];
  /** One in so many of the rows on the ways up; until others have had their turn [Q2]. */
  #known = new Map<TreeRow, boolean>();

  constructor({ outline: { tree } }: ScopedOutline, within: NodeKey) {
    this.within = within;
    this.tree = tree;
  }

  has(key: NodeKey): boolean {
    const row = this.tree.visibleRow(key);
    const top = this.tree.rowAt(this.within);
    return row !== undefined && top !== undefined && isShown(row, this.#known, top);
  }

  /** Whether a node is in sight and has anything below it. */
  holdsNodes(key: NodeKey): boolean {
    const row = this.tree.rowAt(key);
    return row !== undefined && row.children.length > 0 && this.has(key);
  }

  /** Others may have changed the outline. */
  forget(): void {
    this.#known.clear();
  }

  *rest(): Generator<void> {
    this.forget();
    yield;
  }
}

function tell(told: Map<NodeKey, number>, key: NodeKey, number: number): void {
  if ((told.get(key) ?? 0) < number) told.set(key, number);
}
