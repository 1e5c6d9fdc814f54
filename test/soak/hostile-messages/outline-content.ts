import * as Y from "yjs";
import { isSeedClient } from "../../../src/core/calendar/month-seed.ts";
import { shownBy } from "../../documents/support/random-edits.ts";

/** What a replica holds as text, the same for all that hold the same, in whatever order it came. */
export function contentOf(doc: Y.Doc): string {
  const clocks = [...Y.decodeStateVector(Y.encodeStateVector(doc))];
  clocks.sort(([one], [other]) => one - other);
  return JSON.stringify({ clocks, shown: shownBy(doc) }, (_name, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : value,
  );
}

/**
 * Why a replica does not hold what an update says; undefined when it does. What was deleted since is
 * held too.
 */
export function lackOf(doc: Y.Doc, update: Uint8Array): string | undefined {
  let decoded: ReturnType<typeof Y.decodeUpdate>;
  try {
    decoded = Y.decodeUpdate(update);
  } catch {
    return "it is no update";
  }
  for (const struct of decoded.structs) {
    const { client, clock } = struct.id;
    if (struct instanceof Y.Skip) continue;
    if (clock + struct.length > Y.getState(doc.store, client)) {
      return `${client}:${clock} is not there`;
    }
    // Whatever is sent under the id of a seed, the server puts the one seed there is.
    if (isSeedClient(client)) continue;
    const known = doc.store.clients.get(client);
    if (known === undefined || !(struct instanceof Y.Item)) continue;
    for (let at = clock; at < clock + struct.length;) {
      const item = known[Y.findIndexSS(known, at)];
      if (item === undefined) return `${client}:${at} is not there`;
      const end = Math.min(item.id.clock + item.length, clock + struct.length);
      if (item instanceof Y.Item && !saysTheSame(item, struct, at, end)) {
        return `${client}:${at} says something else`;
      }
      at = end;
    }
  }
  for (const [client, ranges] of decoded.ds.clients) {
    for (const { clock, len } of ranges) {
      if (!isDeleted(doc, client, clock, clock + len)) return `${client}:${clock} is not deleted`;
    }
  }
  return undefined;
}

function saysTheSame(known: Y.Item, sent: Y.Item, from: number, to: number): boolean {
  const deleted = Y.ContentDeleted;
  if (known.content instanceof deleted || sent.content instanceof deleted) return true;
  if (known.content.constructor !== sent.content.constructor) return false;
  if (known.content instanceof Y.ContentType) return true;
  const partOf = ({ id, content }: Y.Item): string => {
    const [start, end] = [from - id.clock, to - id.clock];
    if (content instanceof Y.ContentString) return content.str.slice(start, end);
    return JSON.stringify(content.getContent().slice(start, end));
  };
  const part = partOf(known);
  // Where a pair of surrogates was cut in two, Yjs has put U+FFFD in the place of both halves.
  return part.includes("\uFFFD") || part === partOf(sent);
}

/** Whether all clocks in `[from, to)` of a client are deleted. */
export function isDeleted(doc: Y.Doc, client: number, from: number, to: number): boolean {
  const structs = doc.store.clients.get(client) ?? [];
  if (to > Y.getState(doc.store, client)) return false;
  for (let at = from; at < to;) {
    const struct = structs[Y.findIndexSS(structs, at)];
    if (struct === undefined || !struct.deleted) return false;
    at = struct.id.clock + struct.length;
  }
  return true;
}

/** What a client has written under the clocks `[from, to)`, wherever it stands; deletions left out. */
export function textOf(doc: Y.Doc, client: number, from: number, to: number): string {
  const structs = doc.store.clients.get(client) ?? [];
  let text = "";
  for (let at = from; at < Math.min(to, Y.getState(doc.store, client));) {
    const struct = structs[Y.findIndexSS(structs, at)];
    if (struct === undefined) return text;
    const end = struct.id.clock + struct.length;
    if (struct instanceof Y.Item && struct.content instanceof Y.ContentString) {
      text += struct.content.str.slice(at - struct.id.clock, to - struct.id.clock);
    }
    at = end;
  }
  return text;
}
