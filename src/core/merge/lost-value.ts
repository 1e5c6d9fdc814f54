import type * as Y from "yjs";
import { concurrentWrites, earlierWrites, writtenBy } from "../yjs/concurrent-writes.ts";
import { encodeDeletion, parseDeletion } from "../node/deletion-mark.ts";
import { isReservedKey, type NodeKey } from "../node-key.ts";
import { ATTRIBUTE } from "../schema.ts";
import { encodeTimed, parseTimed, type WriteTime } from "../node/timed-value.ts";
import { itemsByKey } from "../yjs/inside.ts";

/** Unix milliseconds at which a write counts as made that says so itself or (0) does not; 0: nobody knows. */
export type DateOf = (item: Y.Item, said: number) => number;

/** A write of a register, and what stands behind it. */
interface Write {
  readonly text: string;
  readonly time: Required<WriteTime>;
  /** Absent where nothing was written. */
  readonly item?: Y.Item;
}

const NOTHING: Write = { text: "", time: { at: 0, by: 0 } };

/**
 * The value of a register (a layout, a shortcut, a setting) that was written later than the one that
 * Yjs kept; undefined when that is the latest. Of two of the same millisecond the one of the greater
 * client id wins; who does not say when is the earliest of all.
 *
 * To be asked when `concurrentWrites` may be. Answers what to write.
 */
export function lostValueOf(kept: Y.Item, dateOf: DateOf): string | undefined {
  const lost = latestOf(kept, concurrentWrites(kept), dateOf, isLater);
  return lost && encodeTimed({ ...lost.time, value: parseTimed(lost.text).value });
}

/**
 * The same for a deletion mark, where a final one wins whatever else was written before or after it.
 * A reserved node comes back when it is needed: there it beats only what had not seen it.
 */
export function lostDeletionOf(key: NodeKey, text: Y.Text, dateOf: DateOf): string | undefined {
  const kept = itemsByKey(text).get(ATTRIBUTE.deletion);
  if (kept === undefined) return undefined;
  const final = isReservedKey(key) ? undefined : overwrittenFinal(kept, dateOf);
  const lost = final ?? latestOf(kept, concurrentWrites(kept), dateOf, isStronger);
  if (lost?.item === undefined) return undefined;
  const mark = parseDeletion(lost.text);
  const restates = mark?.restates ?? lost.item.id;
  return encodeDeletion(mark && { ...mark, restates }, lost.time);
}

/** The final mark that something else was written over; undefined when it stands, or there is none. */
function overwrittenFinal(kept: Y.Item, dateOf: DateOf): Write | undefined {
  const now = kept.deleted ? undefined : readWrite(kept, dateOf);
  if (now !== undefined && isFinal(now)) return undefined;
  const before = kept.deleted ? [kept, ...earlierWrites(kept)] : earlierWrites(kept);
  return latestOf(kept, before, dateOf, (one, other) => isFinal(one) && isStronger(one, other));
}

function isFinal({ text }: Write): boolean {
  return parseDeletion(text)?.kind === "final";
}

function isStronger(one: Write, other: Write): boolean {
  return isFinal(one) === isFinal(other) ? isLater(one, other) : isFinal(one);
}

/** The write that beats the one that Yjs kept, and all others; undefined when that is it. */
function latestOf(
  kept: Y.Item,
  others: Iterable<Y.Item>,
  dateOf: DateOf,
  beats: (one: Write, other: Write) => boolean,
): Write | undefined {
  // Who takes an entry out of a map does not say when.
  const now = (kept.deleted ? undefined : readWrite(kept, dateOf)) ?? NOTHING;
  let latest = now;
  for (const item of others) {
    const write = readWrite(item, dateOf);
    if (write !== undefined && beats(write, latest)) latest = write;
  }
  return latest === now ? undefined : latest;
}

/** Undefined for what is no text, and for a write whose content has been collected. */
function readWrite(item: Y.Item, dateOf: DateOf): Write | undefined {
  const text = writtenBy(item);
  if (typeof text !== "string") return undefined;
  const { at, by = item.id.client } = parseTimed(text);
  return { text, time: { at: dateOf(item, at), by }, item };
}

function isLater({ time: one }: Write, { time: other }: Write): boolean {
  if (one.at === 0 || one.at < other.at) return false;
  return one.at > other.at || one.by > other.by;
}
