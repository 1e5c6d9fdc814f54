import * as Y from "yjs";
import { entryOf, nodesOf } from "../../../src/core/schema.ts";
import { type OwnEdit, updatesOf } from "../outbox.ts";
import { UnsentStructs } from "./unsent-structs.ts";

/**
 * Whether one of the items puts another text under the key of a node that this device has made and
 * not sent. Of the two texts Yjs keeps one, and what was written into the other is gone: that is how
 * it goes when a copy of this device's store has written the node anew, or when two devices have
 * imported the same file.
 *
 * @param unsaved asked only when some key is taken at all
 */
export function displacesUnsent(
  doc: Y.Doc,
  items: readonly Y.Item[],
  unsaved: () => readonly OwnEdit[],
): boolean {
  const displaced = items.flatMap((item) => displacedBy(doc, item) ?? []);
  if (displaced.length === 0) return false;
  const unsent = new UnsentStructs(updatesOf(unsaved()));
  return displaced.some(({ id }) => unsent.hasWritten(id));
}

/** What lives under the key under which a decoded item puts a text. */
function displacedBy(doc: Y.Doc, { id, parent, parentSub, content }: Y.Item): Y.Item | undefined {
  if (typeof parent !== "string" || parentSub === null) return undefined;
  const nodes = nodesOf(doc);
  if (!Object.is(doc.share.get(parent), nodes)) return undefined;
  if (!(content instanceof Y.ContentType)) return undefined;
  const known = entryOf(nodes, parentSub);
  return known === undefined || Y.compareIDs(known.id, id) ? undefined : known;
}
