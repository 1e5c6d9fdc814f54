import * as Y from "yjs";
import { type OwnEdit, updatesOf } from "../outbox.ts";
import { UnsentStructs } from "./unsent-structs.ts";
import { clockOf } from "../../../src/core/yjs/struct-store.ts";

/**
 * Whether the server has something under ids of edits that were never sent: a copy of this store has
 * written it. That says so even where it was deleted since, so that nobody can compare it any more.
 *
 * @param structs from the server
 * @param neverSent asked only when the server has what the document has too
 */
export function takesUnsentIds(
  doc: Y.Doc,
  structs: readonly (Y.Item | Y.GC | Y.Skip)[],
  neverSent: () => readonly OwnEdit[],
): boolean {
  const known = structs.filter(
    ({ id, constructor }) => constructor !== Y.Skip && id.clock < clockOf(doc, id.client),
  );
  if (known.length === 0) return false;
  const edits = neverSent();
  if (edits.length === 0) return false;
  const { written } = new UnsentStructs(updatesOf(edits));
  return known.some(({ id: { client, clock }, length }) =>
    written.get(client)?.some(({ from, to }) => from < clock + length && clock < to),
  );
}
