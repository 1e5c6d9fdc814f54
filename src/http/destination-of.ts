import type { NodeKey } from "../core/node-key.ts";
import type { Destination } from "../core/tree/destinations.ts";
import type { PlaceWord } from "./place-schema.ts";
import { NO_SUCH_NODE, NO_SUCH_PARENT, problem, type Problem } from "./problem.ts";

/** What finding a place asks: an outline as a key sees it, or as it would be behind some operations. */
interface Places {
  /** A node that is there. */
  node(reference: string): NodeKey | undefined;
  /** A place where a node can be put: it is there, or is made. */
  destination(reference: string | null | undefined): NodeKey | undefined;
  /** What a node is in; undefined where the key does not reach that. */
  parentOf(key: NodeKey): NodeKey | undefined;
}

/**
 * Where a mirror goes: into a node that is there, or beside a sibling.
 * @param heldBy the node that a place in a mirror is in
 */
export function mirrorPlaceOf(
  places: Places,
  heldBy: (key: NodeKey) => NodeKey | undefined,
  parentId: string | null | undefined,
  position: PlaceWord | null | undefined,
): Destination | Problem {
  const isBeside = typeof position === "object" && position !== null;
  if (typeof parentId !== "string" && !isBeside) {
    return problem("invalid_request", "expected parent_id, or a position beside a sibling.");
  }
  const inNode: Places = {
    node: (reference) => places.node(reference),
    parentOf: (key) => places.parentOf(key),
    destination(reference) {
      const key = typeof reference === "string" ? places.node(reference) : undefined;
      return key && heldBy(key);
    },
  };
  return destinationOf(inNode, parentId, position);
}

/** Where a new or moved node goes. */
export function destinationOf(
  places: Places,
  parentId: string | null | undefined,
  position: PlaceWord | null | undefined,
): Destination | Problem {
  const parent = places.destination(parentId);
  if (position === null || position === undefined || typeof position === "string") {
    return parent === undefined ? NO_SUCH_PARENT : { parent, position: position ?? undefined };
  }
  const sibling = places.node("after" in position ? position.after : position.before);
  const above = sibling && places.parentOf(sibling);
  if (sibling === undefined || above === undefined) return NO_SUCH_NODE;
  if (parentId !== null && parentId !== undefined && parent !== above) {
    const isThere = parent !== undefined;
    return isThere
      ? problem("invalid_request", "parent_id: not the parent of the sibling.")
      : NO_SUCH_PARENT;
  }
  return {
    parent: above,
    position: "after" in position ? { after: sibling } : { before: sibling },
  };
}
