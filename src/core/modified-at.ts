import type * as Y from "yjs";
import { parsePlacement } from "./placement.ts";
import { ATTRIBUTE, entryOf, notesOf, secondsAttribute, stringAttribute } from "./schema.ts";
import type { TimeMarks } from "./time-marks.ts";

/**
 * When a node was last modified, in Unix seconds: the latest of its creation, its move, its
 * completion, the exact stamp, and what the time marks say of every piece of its name, notes, layout
 * and completion that the stamp does not cover. Deleting text leaves no piece: who only deletes
 * stamps. Placement and deletion do not count by their marks, because repair rewrites them.
 * O(pieces of text).
 */
export function modifiedAtOf(text: Y.Text, marks: TimeMarks): number {
  const stamp = entryOf(text, ATTRIBUTE.modified);
  const placement = parsePlacement(stringAttribute(text, ATTRIBUTE.placement) ?? "");
  let latest = Math.max(
    secondsOf(placement?.createdAt),
    secondsOf(placement?.move?.at),
    secondsAttribute(text, ATTRIBUTE.completed) ?? 0,
    secondsAttribute(text, ATTRIBUTE.modified) ?? 0,
  );
  const consider = (item: Y.Item | undefined): void => {
    if (item === undefined) return;
    const { client, clock } = item.id;
    if (stamp !== undefined && stamp.id.client === client && clock < stamp.id.clock) return;
    latest = Math.max(latest, marks.timeOf(client, clock + item.length - 1));
  };
  consider(entryOf(text, ATTRIBUTE.layout));
  consider(entryOf(text, ATTRIBUTE.completed));
  for (const part of [text, ...notesOf(text)]) {
    for (let item = part._start; item !== null; item = item.right) consider(item);
  }
  return latest;
}

function secondsOf(ms: number | undefined): number {
  return ms === undefined ? 0 : Math.floor(ms / 1000);
}
