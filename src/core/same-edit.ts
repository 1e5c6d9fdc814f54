import * as Y from "yjs";

/** Characters that are the same edit wherever two put them; fewer only in place of others. */
const MIN_ALONE = 3;
/** Pieces looked at in one place. What so many authors or edits have left there stays as it is. */
const MAX_PIECES = 1_000;

/**
 * A place in a text where somebody inserted something without having seen all that stands there:
 * behind one character and before another, which were neighbours for that author.
 */
export interface Gap {
  readonly text: Y.Text;
  readonly left: Y.ID | null;
  readonly right: Y.ID | null;
  /** Whether two took out what stood in it. */
  readonly isEmptied: boolean;
}

/** What is asked of an item. */
type Question = (item: Y.Item) => boolean;

/** What one client has inserted in a gap. */
interface Insertion {
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

/**
 * The gaps at the ends of an item that has just come: others stand there and did not know of it, or two
 * have deleted what is there.
 */
export function gapsBeside(item: Y.Item, isDeletedTwice: Question): readonly Gap[] {
  const { left, right, rightOrigin, parent: text, parentSub } = item;
  if (!(text instanceof Y.Text) || parentSub !== null) return [];
  const gaps: Gap[] = [];
  if (isStranger(left, item) && !isNextTo(item)) gaps.push(gapOf(text, item));
  if (isStranger(right, item) && !isAt(right, rightOrigin) && !isNextTo(right)) {
    gaps.push(gapOf(text, right));
  }
  const isBesideDeleted =
    (left !== null && isDeletedTwice(left)) || (right !== null && isDeletedTwice(right));
  if (gaps.length === 0 && isBesideDeleted) gaps.push(gapOf(text, item));
  return gaps.map((gap) => withDeleted(gap, isDeletedTwice));
}

/**
 * The gap with what was there before two took it out, if they did: one wrote the new characters before
 * what it replaced and the other behind it. Programs differ in that.
 * @param isDeletedTwice whether two deleted an item, neither of them knowing of the other
 */
function withDeleted(gap: Gap, isDeletedTwice: Question): Gap {
  const leftmost = deletedAt(gap.text, gap.left, isDeletedTwice);
  const rightmost = deletedAt(gap.text, gap.right, isDeletedTwice);
  if (leftmost === undefined && rightmost === undefined) return gap;
  let { left, right } = gap;
  if (leftmost !== undefined) {
    let first = leftmost;
    while (first.left !== null && isDeletedTwice(first.left)) first = first.left;
    const { id } = first;
    while (first.left !== null && isSame(first.left.rightOrigin, id)) first = first.left;
    left = first.left?.lastId ?? null;
  }
  if (rightmost !== undefined) {
    let last = rightmost;
    while (last.right !== null && isDeletedTwice(last.right)) last = last.right;
    const behind = last.right;
    const isInserted =
      behind !== null && isSame(behind.origin, last.lastId) && !follows(behind, last);
    right = (isInserted ? behind.rightOrigin : behind?.id) ?? null;
  }
  return { text: gap.text, left, right, isEmptied: true };
}

function deletedAt(text: Y.Text, id: Y.ID | null, isDeletedTwice: Question): Y.Item | undefined {
  const item = id === null ? undefined : itemAt(text, id);
  return item !== undefined && isDeletedTwice(item) ? item : undefined;
}

/** Whether two items were written in one go. */
function follows(next: Y.Item, { lastId }: Y.Item): boolean {
  return next.id.client === lastId.client && next.id.clock === lastId.clock + 1;
}

/**
 * What to take out of a gap so that what several authors inserted there alike is there once: of equal
 * insertions all but the first. Each is looked at as a whole: another letter, or another format, makes
 * it another edit. A rule about the state alone, so that the order in which the insertions came does
 * not matter.
 * @param isNew whether an item came since the gap was last looked at. One of two equal insertions must
 *   have come as a whole: what comes letter by letter is typed in front of everybody's eyes.
 */
export function* twinsIn(
  gap: Gap,
  isNew: Question,
  isDeletedTwice: Question,
): Generator<void, readonly Y.Item[]> {
  const insertions = yield* insertionsIn(gap, isDeletedTwice);
  if (insertions === undefined || insertions.length < 2) return [];
  const isReplacement = gap.isEmptied || isDeletedAt(gap, gap.left) || isDeletedAt(gap, gap.right);
  const firsts = new Map<string, { isWhole: boolean }>();
  const twins: Y.Item[] = [];
  for (const { items, said, length, isUnaware, hasBegun } of insertions) {
    if (said === undefined || !isUnaware || !hasBegun) continue;
    if (length < (isReplacement ? 1 : MIN_ALONE)) continue;
    const isWhole = items.every(isNew);
    const first = firsts.get(said);
    if (first === undefined) firsts.set(said, { isWhole });
    else if (first.isWhole || isWhole) twins.push(...items);
  }
  return twins;
}

/** Takes characters out of their text. */
export function takeOut(transaction: Y.Transaction, text: Y.Text, items: readonly Y.Item[]): void {
  for (const item of items) item.delete(transaction);
  // Yjs looks for places from where it knows the index of, which only its own deletions keep right.
  text._searchMarker?.splice(0);
}

function* insertionsIn(
  gap: Gap,
  isDeletedTwice: Question,
): Generator<void, readonly Insertion[] | undefined> {
  const insertions = new Map<number, Insertion>();
  const formats = new Map<string, unknown>();
  const isAmong = (id: Y.ID | null): boolean => {
    const item = id === null ? undefined : itemAt(gap.text, id);
    return item !== undefined && isDeletedTwice(item);
  };
  let looked = 0;
  for (let item = firstIn(gap); item !== null && !isAt(item, gap.right); item = item.right) {
    if (++looked > MAX_PIECES) return undefined;
    if (looked % 512 === 0) yield;
    if (isDeletedTwice(item)) continue;
    const { client } = item.id;
    let own = insertions.get(client);
    if (own === undefined) {
      own = { items: [], isUnaware: true, hasBegun: false, said: "", length: 0 };
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
      own.length += item.length;
      if (own.said !== undefined) own.said += wordsOf(content.str, formats);
    } else {
      own.said = undefined;
    }
  }
  return [...insertions.values()];
}

/** Undefined when the gap is closed: its sides are neighbours again. */
function firstIn({ text, left }: Gap): Y.Item | null {
  if (left === null) return text._start;
  const item = itemAt(text, left);
  return item !== undefined && Y.compareIDs(item.lastId, left) ? item.right : null;
}

function itemAt(text: Y.Text, id: Y.ID): Y.Item | undefined {
  const structs = text.doc?.store.clients.get(id.client);
  if (structs === undefined) return undefined;
  const struct = structs[Y.findIndexSS(structs, id.clock)];
  return struct instanceof Y.Item ? struct : undefined;
}

function isDeletedAt({ text }: Gap, id: Y.ID | null): boolean {
  return id !== null && itemAt(text, id)?.deleted === true;
}

/** No text has the character that stands around the formats. */
function wordsOf(characters: string, formats: ReadonlyMap<string, unknown>): string {
  if (formats.size === 0) return characters;
  return `\0${JSON.stringify([...formats].toSorted(([a], [b]) => (a < b ? -1 : 1)))}\0${characters}`;
}

function gapOf(text: Y.Text, { origin, rightOrigin }: Y.Item): Gap {
  return { text, left: origin, right: rightOrigin, isEmptied: false };
}

function isStranger(neighbour: Y.Item | null, { id }: Y.Item): neighbour is Y.Item {
  return neighbour !== null && neighbour.id.client !== id.client;
}

/** Whether an item still stands behind what its author saw before it. */
function isNextTo({ left, origin }: Y.Item): boolean {
  return isSame(left?.lastId ?? null, origin);
}

function isAt({ id }: Y.Item, place: Y.ID | null): boolean {
  return place !== null && Y.compareIDs(id, place);
}

function isSame(a: Y.ID | null, b: Y.ID | null): boolean {
  return a === null || b === null ? a === b : Y.compareIDs(a, b);
}
