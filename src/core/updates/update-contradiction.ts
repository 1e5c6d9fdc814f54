import * as Y from "yjs";
import { contradictsKnown } from "./struct-contradiction.ts";
import { encodePlan } from "./update-plan.ts";
import type { StructSection } from "./update-reader.ts";
import { clockOf } from "../yjs/struct-store.ts";

/** Structs that are compared in a step. */
const STEP = 128;

/**
 * Whether an update says something else than the document about structs that both have. Yjs passes
 * over what it knows without a look, so a store that was copied, and wrote under its id what
 * the original did not write, would have its edits acknowledged and never see them on another
 * device.
 *
 * Only what is known is looked at, which is nothing in most of what clients send while they are
 * connected; in steps of a fraction of a millisecond.
 */
export function* contradicts(
  doc: Y.Doc,
  sections: readonly StructSection[],
): Generator<void, boolean> {
  for (const { client, source, structs } of sections) {
    const known = clockOf(doc, client);
    for (let from = 0; (structs[from]?.clock ?? known) < known; from += STEP) {
      const to = Math.min(structs.length, from + STEP);
      const part = encodePlan({ runs: [{ client, source, structs, from, to }], deletes: [] });
      const isOther = Y.decodeUpdate(part).structs.some(
        (struct) => struct instanceof Y.Item && contradictsKnown(doc, struct),
      );
      if (isOther) return true;
      if (to < structs.length) yield;
    }
  }
  return false;
}
