import * as Y from "yjs";
import { parsePlacement, type Placement } from "./placement.ts";
import { ATTRIBUTE, entryOf } from "./schema.ts";

/**
 * A placement that a register lost to a concurrent one although it should have won. Yjs keeps the
 * write of the greater client id, whoever moved later: a person's move loses to nothing that was
 * only written down by a replica, and to another person's only when that was later.
 *
 * To be asked right after the transaction that brought the two together, before its garbage is
 * collected. Answers what to write: the lost placement, standing for the write that lost.
 */
export function lostMoveOf(text: Y.Text): Placement | undefined {
  const winner = entryOf(text, ATTRIBUTE.placement);
  const current = winner && placementOf(winner);
  if (winner === undefined || current === undefined) return undefined;
  let best: Placement | undefined;
  // What stands between a write and the one it knew as the latest was written without knowing it.
  for (let item = winner.left; item !== null; item = item.left) {
    if (winner.origin !== null && Y.compareIDs(item.lastId, winner.origin)) break;
    const placement = placementOf(item);
    if (placement === undefined || !isPersonsMove(placement)) continue;
    if (isPersonsMove(current) && movedAt(current) >= movedAt(placement)) continue;
    if (best !== undefined && movedAt(best) >= movedAt(placement)) continue;
    const { client, clock } = item.id;
    best = { ...placement, restates: { client, clock, isElsewhere: true } };
  }
  return best;
}

/** Undefined also for an item whose content has been collected. */
function placementOf(item: Y.Item): Placement | undefined {
  const value: unknown = item.content.getContent().at(-1);
  return typeof value === "string" ? parsePlacement(value) : undefined;
}

function isPersonsMove(placement: Placement): boolean {
  return placement.move !== undefined && placement.restates === undefined;
}

function movedAt(placement: Placement): number {
  return placement.move?.at ?? -1;
}
