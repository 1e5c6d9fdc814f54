import * as Y from "yjs";
import { applyUnfollowed } from "../../../src/core/yjs/apply-stored-update.ts";
import {
  encodeUpdate,
  type SectionEncoder,
  sectionFrom,
} from "../../../src/core/yjs/struct-encoding.ts";
import type { UnsentStructs } from "./unsent-structs.ts";
import { holderOf } from "../../../src/core/yjs/inside.ts";
import {
  clockOf,
  missingClients,
  type Struct,
  structsOf,
} from "../../../src/core/yjs/struct-store.ts";

/**
 * Takes into a replica what its unsent edits build on and it has not got: another tab had it from the
 * server and ended before it could store it, so what was typed on it waits. Of the ids that the edits
 * themselves have nothing is taken, nor anything that stands beside or below them: the server may have
 * something else there.
 *
 * @param origin of the transactions
 */
export function fillIn(old: Y.Doc, fresh: Y.Doc, unsent: UnsentStructs, origin: unknown): void {
  const { written } = unsent;
  const isLeftOut = (struct: Struct): boolean =>
    neighboursOf(struct).some((id) => unsent.hasWritten(id));
  const taken = new Set(written.keys());
  for (;;) {
    const sections: SectionEncoder[] = [];
    for (const client of missingClients(old)) {
      const clock = clockOf(old, client);
      const isThere = clock < clockOf(fresh, client);
      if (isThere && !taken.has(client)) {
        sections.push(sectionFrom(client, structsOf(fresh, client), clock, isLeftOut));
      }
      taken.add(client);
    }
    if (sections.length === 0) return;
    applyUnfollowed(old, encodeUpdate(sections), origin);
  }
}

/** What says where a struct stands. */
function neighboursOf(struct: Struct): readonly Y.ID[] {
  if (struct instanceof Y.GC) return [];
  const { origin, rightOrigin, parent } = struct;
  const parentId = parent instanceof Y.AbstractType ? holderOf(parent)?.id : undefined;
  return [origin, rightOrigin, parentId].filter((id) => id !== null && id !== undefined);
}
