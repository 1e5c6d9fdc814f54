import { LRUCache } from "lru-cache";

/**
 * A map of so many entries that forgets the one that was not used for longest. It takes memory as it
 * fills, where a cache with a `max` takes all that it may ever need when it is made.
 */
export function newRecentMap<V extends object | number | true, K extends string = string>(
  maxEntries: number,
): LRUCache<K, V> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
}
