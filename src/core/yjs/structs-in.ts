import * as Y from "yjs";
import { firstItem, itemsByKey, type Keyed, type Sequence } from "./inside.ts";

type Contents = Keyed & Sequence;

/**
 * How many structs Yjs goes through to remove a type: its pieces and values, deleted ones too, and
 * those of the types in them. Linear in their number; a text has notes, which have nothing in them.
 */
export function structsIn(type: Contents | undefined): number {
  if (type === undefined) return 0;
  let structs = 0;
  for (let item = firstItem(type); item !== null; item = item.right) structs++;
  for (const newest of itemsByKey(type).values()) {
    for (let item: Y.Item | null = newest; item !== null; item = item.left) {
      structs += 1 + structsIn(typeOf(item));
    }
  }
  return structs;
}

/** The type that a struct holds; undefined when it holds something else, or no longer does. */
export function typeOf(struct: Y.Item | Y.GC | undefined): Contents | undefined {
  if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentType)) return undefined;
  return struct.deleted ? undefined : struct.content.type;
}
