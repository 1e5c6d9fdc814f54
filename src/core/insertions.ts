import * as Y from "yjs";
import { firstIn, type Gap, isAt, isSame, itemAt, type Question } from "./gap.ts";

/** Pieces looked at in one place. What so many authors or edits have left there stays as it is. */
const MAX_PIECES = 1_000;

/** What one client has inserted in a gap. */
export interface Insertion {
  readonly client: number;
  /** Its characters. */
  readonly items: Y.Item[];
  /** Whether all of it was inserted without having seen what others did there. */
  isUnaware: boolean;
  /** Whether it began when there was nothing in the gap. */
  hasBegun: boolean;
  /** The characters with their formats; undefined for what is no text. */
  said: string | undefined;
  length: number;
}

/** Characters in a gap. */
export interface Piece {
  readonly item: Y.Item;
  /** Undefined for what was there before, and for what the server has added. */
  readonly of: Insertion | undefined;
}

/** What is in a gap. */
export interface Inserted {
  /** One for each client, in the order in which they begin. */
  readonly insertions: readonly Insertion[];
  /** What stands there, and what stood there before: in its order. */
  readonly pieces: readonly Piece[];
}

/**
 * What each client has inserted in a gap; undefined when that is too much to look at.
 * @param wasThere whether an item was there before, and was deleted by those who inserted
 * @param isAdded whether an item is the server's, and to be passed over
 */
export function* insertionsIn(
  gap: Gap,
  wasThere: Question,
  isAdded: Question = () => false,
): Generator<void, Inserted | undefined> {
  const insertions = new Map<number, Insertion>();
  const formats = new Map<string, unknown>();
  const isAmong = (id: Y.ID | null): boolean => {
    const item = id === null ? undefined : itemAt(gap.text, id);
    return item !== undefined && wasThere(item);
  };
  let looked = 0;
  const pieces: Piece[] = [];
  for (let item = firstIn(gap); item !== null && !isAt(item, gap.right); item = item.right) {
    if (++looked > MAX_PIECES) return undefined;
    if (looked % 512 === 0) yield;
    if (wasThere(item) || isAdded(item)) {
      pieces.push({ item, of: undefined });
      continue;
    }
    const { client } = item.id;
    let own = insertions.get(client);
    if (own === undefined) {
      own = { client, items: [], isUnaware: true, hasBegun: false, said: "", length: 0 };
      insertions.set(client, own);
    }
    const isBehindLeft = isSame(item.origin, gap.left) || isAmong(item.origin);
    const isBeforeRight = isSame(item.rightOrigin, gap.right) || isAmong(item.rightOrigin);
    own.hasBegun ||= isBehindLeft && isBeforeRight;
    own.isUnaware &&=
      (isBehindLeft || item.origin?.client === client) &&
      (isBeforeRight || item.rightOrigin?.client === client);
    const { content } = item;
    if (item.deleted) continue;
    if (content instanceof Y.ContentFormat) {
      // When the ends of two meet Yjs takes both away: each begins what the other ends.
      if (content.value === null) formats.delete(content.key);
      else formats.set(content.key, content.value);
    } else if (content instanceof Y.ContentString) {
      own.items.push(item);
      pieces.push({ item, of: own });
      own.length += item.length;
      if (own.said !== undefined) own.said += wordsOf(content.str, formats);
    } else {
      own.said = undefined;
    }
  }
  return { insertions: [...insertions.values()], pieces };
}

/** No text has the character that stands around the formats. */
function wordsOf(characters: string, formats: ReadonlyMap<string, unknown>): string {
  if (formats.size === 0) return characters;
  return `\0${JSON.stringify([...formats].toSorted(([a], [b]) => (a < b ? -1 : 1)))}\0${characters}`;
}

/** Whether an author inserted text, not knowing of the others who did. */
export function isByItself({ said, isUnaware, hasBegun }: Insertion): boolean {
  return said !== undefined && isUnaware && hasBegun;
}
