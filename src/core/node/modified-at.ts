import * as Y from "yjs";
import { lastChangeOf, readCompletion } from "./completion.ts";
import type { ItemId } from "../yjs/item-id.ts";
import { createdAtIn, movedByPersonAtIn, restatedIn } from "../tree/placement.ts";
import { ATTRIBUTE, entryOf, secondsAttribute, stringAttribute } from "../schema.ts";
import type { TimeMarks } from "./time-marks.ts";
import { parseTimed } from "./timed-value.ts";
import { firstItem, holderOf, itemsByKey } from "../yjs/inside.ts";

/**
 * When a node was last modified, in Unix seconds: the latest of its creation, its move by a person,
 * its completion, the exact stamp, what the time marks say of every piece of its name, notes, layout
 * and completion that the stamp does not cover, and when its creation or move came from outside.
 * Deleting text leaves no piece: who only deletes stamps. What repair rewrites does not count by what
 * its author's marks say: placement and deletion, and where they say themselves when they were
 * written, completion and layout. What the stamp covers counts all the same when it came from outside
 * later than the node. O(pieces of text).
 */
export function modifiedAtOf(text: Y.Text, register: string, marks: TimeMarks): number {
  const stamp = entryOf(text, ATTRIBUTE.modified);
  const placement = entryOf(text, ATTRIBUTE.placement);
  const placedAtMs = Math.max(createdAtIn(register), movedByPersonAtIn(register));
  let latest = Math.floor(placedAtMs / 1000);
  const isCovered = ({ client, clock }: ItemId): boolean =>
    stamp !== undefined && stamp.id.client === client && clock < stamp.id.clock;
  const madeAt = stamp === undefined ? 0 : madeWith(text, stamp, marks);
  const considerArrival = (id: ItemId, at: number): void => {
    if (at > madeAt || !isCovered(id)) latest = Math.max(latest, at);
  };
  /** @param saidAt when it was written, as it says itself; 0: as the marks say */
  const consider = ({ id, length }: Y.Item, saidAt = 0): void => {
    const last = id.clock + length - 1;
    const cameAt = marks.arrivalOf(id.client, last);
    considerArrival(id, cameAt);
    if (isCovered(id)) return;
    const isMarked = saidAt === 0 && cameAt === 0;
    latest = Math.max(latest, saidAt, isMarked ? marks.writtenAt(id.client, last) : 0);
  };
  const completionAt = lastChangeOf(readCompletion(text));
  const layout = parseTimed(stringAttribute(text, ATTRIBUTE.layout) ?? "");
  const layoutAt = Math.floor(layout.at / 1000);
  const considerAll = (start: Y.Item | null): void => {
    for (let item = start; item !== null; item = item.right) consider(item);
  };
  const write = restatedIn(register) ?? placement?.id;
  if (write !== undefined) considerArrival(write, marks.arrivalOf(write.client, write.clock));
  if (stamp !== undefined) {
    const at = marks.arrivalOf(stamp.id.client, stamp.id.clock);
    if (at > madeAt || isOfItsOwnTime(stamp, marks)) latest = Math.max(latest, at);
  }
  considerAll(firstItem(text));
  for (const [name, item] of itemsByKey(text)) {
    if (name === ATTRIBUTE.completed || name === ATTRIBUTE.layout) {
      const saidAt = name === ATTRIBUTE.completed ? completionAt : layoutAt;
      if (!item.deleted) consider(item, saidAt);
    } else if (name.startsWith(ATTRIBUTE.notePrefix) && item.content instanceof Y.ContentType) {
      considerAll(firstItem(item.content.type));
    }
  }
  return Math.max(latest, completionAt, secondsAttribute(text, ATTRIBUTE.modified) ?? 0);
}

/** The longest that an author writes without a mark. Seconds. */
const LONGEST_MARKED = 60;

/**
 * When a node came that the author of a stamp made; 0: it was there before, or the server made it. An
 * import has nothing to say of what comes later, nor of a node that others made.
 */
function madeWith(text: Y.Text, stamp: Y.Item, marks: TimeMarks): number {
  const making = holderOf(text)?.id;
  if (making === undefined || making.client !== stamp.id.client) return 0;
  return marks.arrivalOf(making.client, making.clock);
}

/**
 * Whether a stamp says when it was written, as one behind a deletion does. Others, those of imports,
 * say a time of long ago, which stays.
 */
export function isOfItsOwnTime({ id, content }: Y.Item, marks: TimeMarks): boolean {
  const writtenAt = marks.writtenAt(id.client, id.clock);
  const since = Number(content.getContent().at(-1)) - writtenAt;
  return writtenAt > 0 && since >= 0 && since <= LONGEST_MARKED;
}
