import type * as Y from "yjs";
import { concurrentWrites, writtenBy } from "../yjs/concurrent-writes.ts";
import { movedByPersonAt, parsePlacement, restatedBy, type Placement } from "../tree/placement.ts";
import { ATTRIBUTE, entryOf } from "../schema.ts";

/**
 * A move that a register lost although it should have won: the latest move by a person wins (D21).
 * To be asked when `concurrentWrites` may be. Answers what to write.
 * @param believe what a time of a move counts as: one of a clock that is ahead counts as now
 */
export function lostMoveOf(
  text: Y.Text,
  believe: (at: number) => number = (at) => at,
): Placement | undefined {
  const winner = entryOf(text, ATTRIBUTE.placement);
  const current = winner && placementOf(winner);
  if (winner === undefined || current === undefined) return undefined;
  let latest = believe(movedByPersonAt(current));
  let lost: Placement | undefined;
  for (const item of concurrentWrites(winner)) {
    const placement = placementOf(item);
    const at = placement === undefined ? 0 : believe(movedByPersonAt(placement));
    if (placement === undefined || at <= latest) continue;
    latest = at;
    const how = placement.restates?.how === "displaced" ? "displaced" : "renewed";
    lost = { ...placement, restates: restatedBy(placement, item.id, how) };
  }
  return lost;
}

/** Undefined also for an item whose content has been collected. */
function placementOf(item: Y.Item): Placement | undefined {
  const value = writtenBy(item);
  return typeof value === "string" ? parsePlacement(value) : undefined;
}
