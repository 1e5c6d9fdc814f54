import * as decoding from "lib0/decoding";
import * as Y from "yjs";

import { DEFAULT_UPDATE_LIMITS } from "../core/update-guard.ts";
import { readUpdate } from "../core/update-reader.ts";

/**
 * Whether an update says something else than the document about structs that both have. Yjs passes
 * over what it knows without a look, so a store that was copied, and wrote under its leased id what
 * the original did not write, would have its edits acknowledged and never see them on another
 * device.
 *
 * False for what can't be read: refusing that is for others. Costs next to nothing for an update of
 * one client with nothing known in it, which is what clients send while they are connected.
 */
export function contradicts(doc: Y.Doc, update: Uint8Array): boolean {
  try {
    if (startsUnknown(doc, update) || !repeatsKnown(doc, update)) return false;
  } catch {
    return false;
  }
  return Y.decodeUpdate(update).structs.some(
    (struct) => struct instanceof Y.Item && contradictsKnown(doc, struct),
  );
}

/** Reads no further than the address of the first struct. @throws Error for what can't be read */
function startsUnknown(doc: Y.Doc, update: Uint8Array): boolean {
  const decoder = decoding.createDecoder(update);
  const clients = decoding.readVarUint(decoder);
  if (clients !== 1) return clients === 0;
  decoding.readVarUint(decoder);
  const client = decoding.readVarUint(decoder);
  return decoding.readVarUint(decoder) >= Y.getState(doc.store, client);
}

/** Reads the whole update, as carefully as the document does. @throws Error for what can't be read */
function repeatsKnown(doc: Y.Doc, update: Uint8Array): boolean {
  const { maxStructs, maxSpareDeleteRanges } = DEFAULT_UPDATE_LIMITS;
  const limits = { maxStructs, maxDeleteRanges: () => maxSpareDeleteRanges };
  return readUpdate(update, limits).sections.some(
    ({ client, structs }) => (structs[0]?.clock ?? 0) < Y.getState(doc.store, client),
  );
}

function contradictsKnown(doc: Y.Doc, sent: Y.Item): boolean {
  const { client, clock } = sent.id;
  const structs = doc.store.clients.get(client) ?? [];
  const end = Math.min(clock + sent.length, Y.getState(doc.store, client));
  for (let at = clock; at < end;) {
    const known = structs[Y.findIndexSS(structs, at)];
    if (known === undefined) break;
    const knownEnd = Math.min(known.id.clock + known.length, end);
    if (known instanceof Y.Item && differs(known, sent, at, knownEnd)) return true;
    at = knownEnd;
  }
  return false;
}

/** Compares what two items that overlap in the clocks `[from, to)` say there. */
function differs(known: Y.Item, sent: Y.Item, from: number, to: number): boolean {
  if (!Y.compareIDs(originAt(known, from), originAt(sent, from))) return true;
  if (!Y.compareIDs(known.rightOrigin, sent.rightOrigin)) return true;
  // The content of what was deleted is gone, from either side.
  if (known.content instanceof Y.ContentDeleted || sent.content instanceof Y.ContentDeleted) {
    return false;
  }
  const knownPart = partOf(known, from, to);
  // Where an item was cut within a surrogate pair, Yjs has put U+FFFD in the place of both halves.
  return !knownPart.includes("\uFFFD") && knownPart !== partOf(sent, from, to);
}

/** What stood left of a clock inside an item when it was written. */
function originAt(item: Y.Item, clock: number): Y.ID | null {
  return clock === item.id.clock ? item.origin : Y.createID(item.id.client, clock - 1);
}

/** The content between two clocks, as text that is the same for the same content. */
function partOf({ id, content }: Y.Item, from: number, to: number): string {
  const kind = content.constructor.name;
  if (content instanceof Y.ContentType) return `${kind} ${content.type.constructor.name}`;
  if (content instanceof Y.ContentFormat) {
    return `${kind} ${content.key} ${JSON.stringify(content.value)}`;
  }
  const values = content.getContent().slice(from - id.clock, to - id.clock);
  return `${kind} ${JSON.stringify(values)}`;
}
