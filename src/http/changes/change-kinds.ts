import type { NodeKey } from "../../core/node-key.ts";
import type { ChangeJournal } from "../../documents/replica/change-journal.ts";
import { PastPlaces } from "../../documents/replica/past-places.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import type { Span, ToldNode } from "./changed-nodes.ts";

/**
 * What can be told apart of what has changed. One change may be of several kinds.
 * - `created`: came into sight: made, restored, or moved in
 * - `changed`: was there, and something of it has changed, which may be its place
 * - `moved`: was there, and has another parent or another rank among its siblings
 * - `completed`: is completed now, whatever of it has changed
 * - `removed`: went out of sight
 */
export const CHANGE_KINDS = ["created", "changed", "moved", "completed", "removed"] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Nodes between two yields. */
const SLICE = 100;

/** Those of some nodes that were told that are of one of the kinds, in their order. @throws TooLongAgoError */
export function* nodesOfKinds(
  view: ScopedOutline,
  journal: ChangeJournal,
  { within, since }: Span,
  {
    nodes,
    kinds,
  }: { readonly nodes: readonly ToldNode[]; readonly kinds: ReadonlySet<ChangeKind> },
): Generator<void, readonly NodeKey[]> {
  const past = new PastPlaces(view.outline, journal, since, within);
  const found: NodeKey[] = [];
  let steps = 0;
  for (const { key, isPlaced } of nodes) {
    if (++steps % SLICE === 0) yield;
    if (kinds.has("completed") && isCompleted(view, key)) found.push(key);
    else if (isPlaced && past.wasOutOfSight(key)) {
      if (kinds.has("created")) found.push(key);
    } else if (kinds.has("changed") || (isPlaced && kinds.has("moved"))) found.push(key);
  }
  return found;
}

function isCompleted(view: ScopedOutline, key: NodeKey): boolean {
  const place = view.outline.placeOf(key);
  return place !== undefined && (view.nodeInPieces(place)?.completedAt ?? null) !== null;
}
