import * as Y from "yjs";
import { type FormatValue, type RichText, RunBuilder } from "../../../src/core/text/rich-text.ts";
import type { UnsentStructs } from "./unsent-structs.ts";

/**
 * What a text said before unsent updates changed it: without what they wrote, and with what they
 * deleted, as far as nobody else has deleted it too. Deleted characters are gone from the replica
 * that has deleted them, so they are looked up in another one, which knows nothing of the deletion.
 */
export function textBefore(text: Y.Text, unsent: UnsentStructs, other: Y.Doc): RichText {
  const runs = new RunBuilder();
  const formats = new Map<string, FormatValue>();
  const take = (content: Y.Item["content"], from: number, to: number): void => {
    if (content instanceof Y.ContentString) {
      const current = formats.size === 0 ? undefined : Object.fromEntries(formats);
      runs.add(content.str.slice(from, to), current);
    } else if (content instanceof Y.ContentFormat) {
      const { key, value }: { key: string; value: unknown } = content;
      if (value === true || typeof value === "string") formats.set(key, value);
      else formats.delete(key);
    }
  };
  for (let item = text._start; item !== null; item = item.right) {
    const { client, clock } = item.id;
    // Yjs joins neighbours, so that what is sent and what is not can be one item.
    for (let at = 0; at < item.length;) {
      const id = Y.createID(client, clock + at);
      if (unsent.hasWritten(id)) at += 1;
      else if (!item.deleted) {
        let end = at + 1;
        while (end < item.length && !unsent.hasWritten(Y.createID(client, clock + end))) end += 1;
        take(item.content, at, end);
        at = end;
      } else if (!unsent.hasDeleted(id)) at += 1;
      else {
        const there = livingItem(other, id);
        if (there !== undefined) {
          const offset = id.clock - there.id.clock;
          take(there.content, offset, offset + 1);
        }
        at += 1;
      }
    }
  }
  return runs.finish();
}

/** The item that holds an id, unless it is deleted or not there. */
export function livingItem(doc: Y.Doc, { client, clock }: Y.ID): Y.Item | undefined {
  const structs = doc.store.clients.get(client);
  if (structs === undefined || clock >= Y.getState(doc.store, client)) return undefined;
  const struct = structs[Y.findIndexSS(structs, clock)];
  return struct instanceof Y.Item && !struct.deleted ? struct : undefined;
}
