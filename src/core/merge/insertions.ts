import * as Y from "yjs";
import { getOrMake } from "../get-or-make.ts";
import { firstIn, type Gap, isAt, isSame, itemAt, type Question } from "./gap.ts";

/** Pieces looked at in one place. What so many authors or edits have left there stays as it is. */
const MAX_PIECES = 1_000;

/** Formats around a text that is compared with others. Honest texts are in a few of ten. */
const MAX_FORMATS = 16;

type OpenFormats = ReadonlyMap<string, unknown>;

/** What one client has inserted in a gap. */
export class Insertion {
  readonly client: number;
  /** Its characters. */
  readonly items: Y.Item[] = [];
  /** Whether all of it was inserted without having seen what others did there. */
  isUnaware = true;
  /** Whether it began when there was nothing in the gap. */
  hasBegun = false;
  /** Whether it is nothing but characters, in not too many formats. */
  isText = true;
  length = 0;
  /** The characters in their formats. */
  readonly #parts: { readonly characters: string; readonly formats: OpenFormats }[] = [];
  #said: string | undefined;

  constructor(client: number) {
    this.client = client;
  }

  /** The characters with their formats; undefined for what is no text. */
  get said(): string | undefined {
    if (!this.isText) return undefined;
    this.#said ??= this.#parts
      .map(({ characters, formats }) => wordsOf(characters, formats))
      .join("");
    return this.#said;
  }

  /** Whether the author inserted text, not knowing of the others who did. */
  get isByItself(): boolean {
    return this.isText && this.isUnaware && this.hasBegun;
  }

  add(item: Y.Item, characters: string, formats: OpenFormats): void {
    this.items.push(item);
    this.length += item.length;
    if (formats.size > MAX_FORMATS) this.isText = false;
    if (this.isText) this.#parts.push({ characters, formats });
  }
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
  let formats: OpenFormats = new Map<string, unknown>();
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
    const own = getOrMake(insertions, client, () => new Insertion(client));
    const isBehindLeft = isSame(item.origin, gap.left) || isAmong(item.origin);
    const isBeforeRight = isSame(item.rightOrigin, gap.right) || isAmong(item.rightOrigin);
    own.hasBegun ||= isBehindLeft && isBeforeRight;
    own.isUnaware &&=
      (isBehindLeft || item.origin?.client === client) &&
      (isBeforeRight || item.rightOrigin?.client === client);
    const { content } = item;
    if (item.deleted) continue;
    if (content instanceof Y.ContentFormat) {
      formats = changed(formats, content);
    } else if (content instanceof Y.ContentString) {
      own.add(item, content.str, formats);
      pieces.push({ item, of: own });
    } else {
      own.isText = false;
    }
  }
  return { insertions: [...insertions.values()], pieces };
}

/** When the ends of two meet Yjs takes both away: each begins what the other ends. */
function changed(formats: OpenFormats, { key, value }: Y.ContentFormat): OpenFormats {
  // So many that nothing in them is compared.
  if (formats.size > MAX_FORMATS) return formats;
  const after = new Map(formats);
  if (value === null) after.delete(key);
  else after.set(key, value);
  return after;
}

/** Stands around the formats of what somebody said: no text has this character. */
export const FORMATTED = "\0";

function wordsOf(characters: string, formats: OpenFormats): string {
  if (formats.size === 0) return characters;
  const named = JSON.stringify([...formats].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return `${FORMATTED}${named}${FORMATTED}${characters}`;
}
