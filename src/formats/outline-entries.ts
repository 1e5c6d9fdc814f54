import type { RankedRow, WalkedRow } from "../core/tree/document-order.ts";
import { DEFAULT_LAYOUT } from "../core/node/layout.ts";
import { type NodeKey, type OutlineId, ROOT } from "../core/node-key.ts";
import type { NodeHead, NodeInPieces, OutlineNode } from "../core/node/node-reader.ts";
import type { OutlineView } from "../core/outline-view.ts";
import type { TreeRow } from "../core/tree/tree-row.ts";
import { lastHeadings, type Headings, TOP_LEVEL } from "./markdown-sections.ts";
import type { OutlineEntry } from "./outline-entry.ts";

/** An outline as it goes into a file: an `OutlineView`, or what a key sees of one. */
export interface EntrySource {
  readonly id: OutlineId;
  /** See `OutlineView`. */
  rowsFrom(key: NodeKey): Iterable<WalkedRow>;
  headOf(row: TreeRow): NodeHead | undefined;
  nodeInPieces(place: RankedRow): NodeInPieces | undefined;
}

/** An entry with what its place makes of it. */
export interface PlacedEntry {
  readonly entry: OutlineEntry;
  /** The level of the heading as which markdown can show it outside of a list, 1 to 3. */
  readonly heading?: number;
}

/** Where a walk stands. */
interface Level {
  readonly row: TreeRow | undefined;
  readonly depth: number;
  /** Its own; undefined for what stands in a list, below which all does. */
  readonly heading: number | undefined;
  /** Those below it. */
  headings: Headings | undefined;
}

/**
 * The nodes of an outline in document order: all of them, or a node and what is below it, which and where
 * as when the first is asked for, whatever changes meanwhile. Undefined stands where others may have
 * their turn. A node that has left the outline meanwhile is an empty line, so that all else keeps its
 * place.
 */
export function* placedEntries(
  source: EntrySource,
  from: NodeKey,
): Generator<PlacedEntry | undefined, void> {
  // [Q17]
  const path: Level[] = [{ row: undefined, depth: -1, heading: TOP_LEVEL, headings: undefined }];
  // What is below a mirror has its origin for a parent.
  const fewest = from === ROOT ? 1 : 2;
  for (const place of source.rowsFrom(from)) {
    const { row, parent, siblings } = place;
    while (path.length > fewest && path.at(-1)?.row !== parent) path.pop();
    const above = path.at(-1);
    if (above === undefined) return;
    const isFirst = siblings[0] === row;
    if (isFirst && above.heading !== undefined) {
      above.headings = yield* lastHeadings(source, siblings, above.heading);
    }
    const { headings } = above;
    const rank = isFirst ? 0 : place.rank;
    const heading = headings !== undefined && rank >= headings.from ? headings.level : undefined;
    const depth = above.depth + 1;
    path.push({ row, depth, heading, headings: undefined });
    const node = source.nodeInPieces(place);
    const entry = node === undefined ? emptyAt(depth) : yield* entryOf(node, depth);
    yield { entry, ...(heading !== undefined && { heading }) };
  }
}

/** The same without their places. */
export function* entriesInTurn(
  source: EntrySource,
  from: NodeKey,
): Generator<OutlineEntry | undefined, void> {
  for (const placed of placedEntries(source, from)) yield placed?.entry;
}

/** A node and what is below it, or all of an outline, as they are read. */
export function* nodesFrom(outline: OutlineView, from: NodeKey): Generator<OutlineNode, void> {
  const top = outline.node(from);
  if (top !== undefined) yield top;
  yield* outline.nodesInOrder(from);
}

function emptyAt(depth: number): OutlineEntry {
  return { depth, name: "", layout: DEFAULT_LAYOUT };
}

function* entryOf(node: NodeInPieces, depth: number): Generator<undefined, OutlineEntry> {
  const { key, origin, layout, createdAt, modifiedAt, completedAt } = node;
  const name = yield* joined(node.name);
  const note = node.note === null ? undefined : yield* joined(node.note);
  return {
    depth,
    key,
    name,
    layout,
    createdAt,
    modifiedAt,
    ...(origin !== undefined && { origin }),
    ...(note !== undefined && { note }),
    ...(completedAt !== null && { completedAt }),
  };
}

function* joined(pieces: Iterable<string>): Generator<undefined, string> {
  let text = "";
  for (const piece of pieces) {
    if (text !== "") yield undefined;
    text += piece;
  }
  return text;
}
