import * as Y from "yjs";

/** Writes that are looked at. Of a register that has more, what Yjs has kept stays [Q42]. */
const MOST_LOOKED_AT = 1_000;

/**
 * The writes of a map entry or attribute that the one which Yjs kept did not follow, the last first:
 * of concurrent writes Yjs keeps the one of the greater client id, whenever they were made.
 *
 * To be asked right after the transaction that brought the writes together, before its garbage is
 * collected: what an earlier transaction decided has no content any more.
 */
export function* concurrentWrites(kept: Y.Item): Generator<Y.Item> {
  // The writes that it followed are the one it knew as the latest, the one that one knew, …
  let followed = kept.origin;
  for (const item of earlierWrites(kept)) {
    if (followed !== null && Y.compareIDs(item.lastId, followed)) followed = item.origin;
    else yield item;
  }
}

/** All writes before the one that Yjs kept, followed or not, the last first. */
export function* earlierWrites(kept: Y.Item): Generator<Y.Item> {
  let left = MOST_LOOKED_AT;
  for (let item = kept.left; item !== null && left > 0; item = item.left, left--) yield item;
}

/** What a write said, even if it was overwritten; undefined when it has been collected. */
export function writtenBy(item: Y.Item): unknown {
  return item.content.getContent().at(-1);
}
