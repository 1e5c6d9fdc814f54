import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Destination } from "../../../src/core/tree/destinations.ts";
import type { Outline } from "../../../src/core/outline.ts";
import type { Position } from "../../../src/core/tree/sibling-gap.ts";

/**
 * The position of a destination in words that still mean something when `moving` are no longer where
 * they are: next to the nearest sibling that does not move itself.
 */
export function besideOthers(
  outline: Outline,
  moving: readonly NodeKey[],
  { parent, position = "top" }: Destination,
): Position {
  if (typeof position === "string") return position;
  const isAfter = "after" in position;
  const named = isAfter ? position.after : position.before;
  const keys = new Set(moving);
  if (!keys.has(named)) return position;
  const siblings = outline.childKeys(parent);
  for (let at = siblings.indexOf(named); siblings[at] !== undefined; at += isAfter ? -1 : 1) {
    const sibling = siblings[at];
    if (sibling === undefined || keys.has(sibling)) continue;
    return isAfter ? { after: sibling } : { before: sibling };
  }
  return isAfter ? "top" : "bottom";
}
