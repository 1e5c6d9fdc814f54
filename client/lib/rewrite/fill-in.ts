import * as Y from "yjs";
import { applyUnfollowed } from "../../../src/core/apply-stored-update.ts";
import { encodeUpdate, SectionEncoder } from "../../../src/core/struct-encoding.ts";
import type { UnsentStructs } from "./unsent-structs.ts";

/**
 * Takes into a replica what its unsent edits build on and it has not got: another tab had it from the
 * server and ended before it could store it, so what was typed on it waits. Of the ids that the edits
 * themselves have nothing is taken: the server may have something else there.
 *
 * @param origin of the transactions
 */
export function fillIn(
  old: Y.Doc,
  fresh: Y.Doc,
  { written }: UnsentStructs,
  origin: unknown,
): void {
  const taken = new Set(written.keys());
  for (;;) {
    const sections: SectionEncoder[] = [];
    for (const client of old.store.pendingStructs?.missing.keys() ?? []) {
      if (!taken.has(client)) sections.push(...sectionBehind(old, fresh, client));
      taken.add(client);
    }
    if (sections.length === 0) return;
    applyUnfollowed(old, encodeUpdate(sections), origin);
  }
}

/** What a client has written that only the fresh replica has; nothing when there is nothing. */
function sectionBehind(old: Y.Doc, fresh: Y.Doc, client: number): readonly SectionEncoder[] {
  const structs = fresh.store.clients.get(client) ?? [];
  let clock = Y.getState(old.store, client);
  if (clock >= Y.getState(fresh.store, client)) return [];
  const section = new SectionEncoder(client, clock);
  for (let index = Y.findIndexSS(structs, clock); index < structs.length; index++) {
    const struct = structs[index];
    if (struct === undefined) break;
    const end = struct.id.clock + struct.length;
    section.add(struct, clock, end);
    clock = end;
  }
  return [section];
}
