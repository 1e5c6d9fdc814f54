import { ROOT, type NodeKey } from "../node-key.ts";
import { rankIn, type TreeRow } from "../tree/tree-row.ts";
import { LatestMatches, type LatestPlace } from "./latest-matches.ts";
import { Matcher } from "./matcher.ts";
import type { Query } from "./query.ts";
import type { SearchIndex, SearchOrder } from "./search-index.ts";
import type { SearchedNode } from "./searched-node.ts";

export interface MatchRequest {
  readonly query: Query;
  /** Only this node and what is below it; `ROOT` is everything. */
  readonly from: NodeKey;
  /** How many at most. */
  readonly limit: number;
  /** In document order behind this node, which may be deleted; or the latest before this place. */
  readonly order:
    | { readonly kind: "document"; readonly behind?: NodeKey }
    | { readonly kind: "modified"; readonly before?: LatestPlace };
  /** Whether all matches are counted, up to `MOST_COUNTED`. */
  readonly isCounted: boolean;
}

export interface Match {
  readonly key: NodeKey;
  /** Unix seconds; 0 in document order. */
  readonly modifiedAt: number;
}

export interface Matches {
  readonly matches: readonly Match[];
  /** Whether there are more behind the last. */
  readonly hasMore: boolean;
  /** Of all matches, those before the first as well; null when they are more than are counted. */
  readonly count: number | null | undefined;
}

export const MOST_COUNTED = 10_000;

/** Between two yields: about a third of a millisecond. Looking at a short text that is known is 1. */
const STEP = 2000;
const READING = 60;
const CHARACTERS_READ = 4;
const CHARACTERS_SEARCHED = 256;

/**
 * Finds the nodes at and below one that a query means, in steps. Which nodes there are, and in which
 * order, is as it was at one moment; what they say is as it is when each is looked at.
 * @returns `no_node` when the one to search below is not there, `no_place` when it is not known any more
 *   where to go on
 */
export function* findMatches(
  index: SearchIndex,
  asked: MatchRequest,
): Generator<void, Matches | "no_node" | "no_place"> {
  const order = index.order ?? (yield* index.makeOrder());
  const request = { ...asked, from: index.outline.heldBy(asked.from) };
  const { from, limit, isCounted } = request;
  const [start, end] = rangeOf(index, order, from) ?? [];
  if (start === undefined || end === undefined) return "no_node";
  const { behind } = request.order.kind === "document" ? request.order : {};
  const first = behind === undefined ? start : placeBehind(index, order, behind);
  if (first === undefined || first > end) return "no_place";
  // Behind something outside, unless nothing is.
  if (behind !== undefined && from !== ROOT && first <= start) return "no_place";

  const latest = request.order.kind === "modified" ? new LatestMatches(limit + 1) : undefined;
  const before = request.order.kind === "modified" ? request.order.before : undefined;
  const matches: Match[] = [];
  let count = 0;
  const isWhole = isCounted || latest !== undefined || request.query.above !== undefined;
  const walk = isWhole ? start : first;
  const nodes = matchingNodes(index, order, { request, start: walk, end });
  for (const [at, node] of nodes) {
    if (node === undefined) {
      yield;
      continue;
    }
    // What stands before is only looked at for what is below it.
    if (at < first && !isCounted && latest === undefined) continue;
    count += 1;
    const { key } = node.row;
    if (latest !== undefined) {
      const match = { key, modifiedAt: node.modifiedAt(index) };
      latest.add(match, before);
    } else if (at >= first && matches.length <= limit) matches.push({ key, modifiedAt: 0 });
    const isFull = latest === undefined && matches.length > limit;
    if (isFull && (!isCounted || count > MOST_COUNTED)) break;
  }
  const found = latest?.sorted() ?? matches;
  return {
    matches: found.slice(0, limit),
    hasMore: found.length > limit,
    count: !isCounted ? undefined : count > MOST_COUNTED ? null : count,
  };
}

/** Those of a range of an order that a query means, with their places; undefined where a step ends. */
function* matchingNodes(
  index: SearchIndex,
  order: SearchOrder,
  { request, start, end }: { request: MatchRequest; start: number; end: number },
): Generator<readonly [number, SearchedNode | undefined]> {
  const { query } = request;
  const matcher = new Matcher(query, index, request.from);
  const isDated = request.order.kind === "modified";
  // What is not needed of a node is not looked at: it takes longer than to compare.
  const mayDate = isDated || matcher.asksForChange;
  const terms = 1 + matcher.terms;
  let left = STEP;
  for (let at = start; at < end; at++) {
    const listed = order.nodes[at];
    if (listed === undefined) return;
    const isKept = index.clearings === order.clearings;
    const node = isKept ? listed : index.nodeOf(listed.row);
    const wasRead = node.length !== undefined;
    const wasDated = !mayDate || node.row.modifiedAt !== 0;
    let isMatch = false;
    // In this order what a node is below has been looked at before it, so no step climbs far.
    if (node.isLong(index)) {
      const steps = matcher.lookInSteps(node);
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) yield [at, undefined];
      isMatch = step.value;
    } else {
      matcher.look(node);
      isMatch = matcher.matches(node);
    }
    if (isMatch) {
      if (isDated) node.modifiedAt(index);
      yield [at, node];
    }
    const length = node.length ?? 0;
    left -= terms + (terms * length) / CHARACTERS_SEARCHED;
    if (!wasRead) left -= READING + length / CHARACTERS_READ;
    if (!wasDated && node.row.modifiedAt !== 0) left -= READING + length / CHARACTERS_READ;
    if (left > 0) continue;
    left = STEP;
    yield [at, undefined];
  }
}

/** Where a node and what is below it stand in an order; undefined when it is not in it. */
function rangeOf(
  index: SearchIndex,
  order: SearchOrder,
  from: NodeKey,
): readonly [number, number] | undefined {
  if (from === ROOT) return [0, order.nodes.length];
  const row = index.outline.tree.visibleRow(from);
  const start = row === undefined ? -1 : placeOf(index, order, row);
  return start < 0 ? undefined : [start, endOf(order, start)];
}

/** The place behind a node and all that is below it. */
function endOf({ depths }: SearchOrder, start: number): number {
  const depth = depths[start] ?? 0;
  let end = start + 1;
  while ((depths[end] ?? -1) > depth) end += 1;
  return end;
}

/**
 * The place in an order that comes behind a node, by where the node is now; behind where it would be
 * when it is deleted. Undefined when it is not known at all.
 */
function placeBehind(index: SearchIndex, order: SearchOrder, key: NodeKey): number | undefined {
  const { tree } = index.outline;
  const known = tree.rowAt(key);
  if (known === undefined || known.parent === undefined) return undefined;
  if (tree.visibleRow(key) !== undefined) {
    const at = placeOf(index, order, known);
    return at < 0 ? undefined : at + 1;
  }
  let hidden: TreeRow = known;
  for (let row = known; row.parent !== undefined; row = row.parent) {
    if (row.deletion !== undefined) hidden = row;
  }
  const { parent } = hidden;
  if (parent === undefined) return undefined;
  const sibling = parent.children[rankIn(parent.children, hidden) - 1];
  // Behind the sibling before it, or first below its parent; the top level is at -1.
  const at = placeOf(index, order, sibling ?? parent);
  if (sibling !== undefined) return at < 0 ? undefined : endOf(order, at);
  return parent.key === ROOT || at >= 0 ? at + 1 : undefined;
}

/** -1 for what is not in the order, as the top level. */
function placeOf(index: SearchIndex, { nodes }: SearchOrder, row: TreeRow): number {
  if (row.key === ROOT) return -1;
  // Another order may have been made since.
  const { at } = index.nodeOf(row);
  return nodes[at]?.row === row ? at : nodes.findIndex((node) => node.row === row);
}
