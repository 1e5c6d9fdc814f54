import * as Y from "yjs";
import { movedByPersonAt, parsePlacement, restatedBy, type Placement } from "./placement.ts";
import { ATTRIBUTE, entryOf } from "./schema.ts";

/**
 * A move that a register lost although it should have won. Of concurrent writes Yjs keeps the one of
 * the greater client id, whoever moved later. By the rules the latest move by a person wins.
 *
 * To be asked right after the transaction that brought the writes together, before its garbage is
 * collected: what an earlier transaction decided is not looked at again. Answers what to write.
 */
export function lostMoveOf(text: Y.Text): Placement | undefined {
  const winner = entryOf(text, ATTRIBUTE.placement);
  const current = winner && placementOf(winner);
  if (winner === undefined || current === undefined) return undefined;
  let latest = movedByPersonAt(current);
  let lost: Placement | undefined;
  // The writes that the winner followed are the one it knew as the latest, the one that one knew, …
  let followed = winner.origin;
  for (let item = winner.left; item !== null; item = item.left) {
    if (followed !== null && Y.compareIDs(item.lastId, followed)) {
      followed = item.origin;
      continue;
    }
    const placement = placementOf(item);
    if (placement === undefined || movedByPersonAt(placement) <= latest) continue;
    latest = movedByPersonAt(placement);
    const how = placement.restates?.how === "displaced" ? "displaced" : "renewed";
    lost = { ...placement, restates: restatedBy(placement, item.id, how) };
  }
  return lost;
}

/** Undefined also for an item whose content has been collected. */
function placementOf(item: Y.Item): Placement | undefined {
  const value: unknown = item.content.getContent().at(-1);
  return typeof value === "string" ? parsePlacement(value) : undefined;
}
