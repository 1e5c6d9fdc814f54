import * as Y from "yjs";
import { lastChangeOf, readCompletion } from "./completion.ts";
import { createdAtIn, movedByPersonAtIn } from "./placement.ts";
import { ATTRIBUTE, entryOf, secondsAttribute, stringAttribute } from "./schema.ts";
import type { TimeMarks } from "./time-marks.ts";
import { parseTimed } from "./timed-value.ts";

/**
 * When a node was last modified, in Unix seconds: the latest of its creation, its move by a person,
 * its completion, the exact stamp, and what the time marks say of every piece of its name, notes, layout
 * and completion that the stamp does not cover. Deleting text leaves no piece: who only deletes
 * stamps. What repair rewrites does not count by its marks: placement and deletion, and where they say
 * themselves when they were written, completion and layout.
 * O(pieces of text).
 */
export function modifiedAtOf(text: Y.Text, register: string, marks: TimeMarks): number {
  const stamp = entryOf(text, ATTRIBUTE.modified);
  const placedAtMs = Math.max(createdAtIn(register), movedByPersonAtIn(register));
  let latest = Math.floor(placedAtMs / 1000);
  /** @param saidAt when it was written, as it says itself; 0: as the marks say */
  const consider = (item: Y.Item, saidAt = 0): void => {
    const { client, clock } = item.id;
    if (stamp !== undefined && stamp.id.client === client && clock < stamp.id.clock) return;
    const at = saidAt === 0 ? marks.timeOf(client, clock + item.length - 1) : saidAt;
    latest = Math.max(latest, at);
  };
  const completionAt = lastChangeOf(readCompletion(text));
  const layout = parseTimed(stringAttribute(text, ATTRIBUTE.layout) ?? "");
  const layoutAt = Math.floor(layout.at / 1000);
  const considerAll = (start: Y.Item | null): void => {
    for (let item = start; item !== null; item = item.right) consider(item);
  };
  considerAll(text._start);
  for (const [name, item] of text._map) {
    if (name === ATTRIBUTE.completed || name === ATTRIBUTE.layout) {
      const saidAt = name === ATTRIBUTE.completed ? completionAt : layoutAt;
      if (!item.deleted) consider(item, saidAt);
    } else if (name.startsWith(ATTRIBUTE.notePrefix) && item.content instanceof Y.ContentType) {
      considerAll(item.content.type._start);
    }
  }
  return Math.max(latest, completionAt, secondsAttribute(text, ATTRIBUTE.modified) ?? 0);
}
