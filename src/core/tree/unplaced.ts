import type { NodeKey } from "../node-key.ts";
import { encodePlacement } from "./placement.ts";

/** A reserved key that stands for nothing, so that no node ever comes under it. */
const NOWHERE = "0000ffffffff" as NodeKey;

/**
 * Stands for the place of a node that has none that can be read: below a parent that never comes, so
 * the node is shown like any other orphan, last at the top level. Nobody writes it down: a newer
 * version may be able to read what this one can't.
 */
export const UNPLACED = encodePlacement({ parent: NOWHERE, createdAt: 0, order: "V" });
