import * as Y from "yjs";

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
  for (let item = kept.left; item !== null; item = item.left) {
    if (followed !== null && Y.compareIDs(item.lastId, followed)) followed = item.origin;
    else yield item;
  }
}

/** All writes before the one that Yjs kept, followed or not, the last first. */
export function* earlierWrites(kept: Y.Item): Generator<Y.Item> {
  for (let item = kept.left; item !== null; item = item.left) yield item;
}

/** What a write said, even if it was overwritten; undefined when it has been collected. */
export function writtenBy(item: Y.Item): unknown {
  return item.content.getContent().at(-1);
}
