import * as Y from "yjs";
import { firstItem } from "../yjs/inside.ts";
import { structAt } from "../yjs/struct-store.ts";

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
export type Question = (item: Y.Item) => boolean;

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
  return gaps.flatMap((gap) => withDeleted(gap, isDeletedTwice) ?? []);
}

/** Items that are looked at on either side. */
const MAX_ITEMS = 1_000;

/**
 * The gap with what was there before two took it out, if they did: one wrote the new characters before
 * what it replaced and the other behind it. Programs differ in that. Undefined where that is more than
 * anybody looks at: each new item beside it would cost as much.
 * @param isDeletedTwice whether two deleted an item, neither of them knowing of the other
 */
function withDeleted(gap: Gap, isDeletedTwice: Question): Gap | undefined {
  const leftmost = deletedAt(gap.text, gap.left, isDeletedTwice);
  const rightmost = deletedAt(gap.text, gap.right, isDeletedTwice);
  if (leftmost === undefined && rightmost === undefined) return gap;
  let { left, right } = gap;
  let looked = 0;
  if (leftmost !== undefined) {
    let first = leftmost;
    for (; first.left !== null && isDeletedTwice(first.left); first = first.left) {
      if (++looked > MAX_ITEMS) return undefined;
    }
    const { id } = first;
    for (; first.left !== null && isSame(first.left.rightOrigin, id); first = first.left) {
      if (++looked > MAX_ITEMS) return undefined;
    }
    left = first.left?.lastId ?? null;
  }
  if (rightmost !== undefined) {
    let last = rightmost;
    for (; last.right !== null && isDeletedTwice(last.right); last = last.right) {
      if (++looked > MAX_ITEMS) return undefined;
    }
    const behind = last.right;
    const isInserted =
      behind !== null && isSame(behind.origin, last.lastId) && !follows(behind, last);
    right = (isInserted ? behind.rightOrigin : behind?.id) ?? null;
  }
  return { text: gap.text, left, right, isEmptied: true };
}

/**
 * All that stands and stood around an item up to what two authors both had in their text and kept.
 * @param isKept whether an item is such; undefined is the answer where none is near
 */
export function gapAround(item: Y.Item, isKept: Question): Gap | undefined {
  const { parent: text } = item;
  if (!(text instanceof Y.Text)) return undefined;
  let { left, right } = item;
  let looked = 0;
  for (; left !== null && !isKept(left); left = left.left)
    if (++looked > MAX_ITEMS) return undefined;
  for (; right !== null && !isKept(right); right = right.right) {
    if (++looked > MAX_ITEMS) return undefined;
  }
  return { text, left: left?.lastId ?? null, right: right?.id ?? null, isEmptied: true };
}

function deletedAt(text: Y.Text, id: Y.ID | null, isDeletedTwice: Question): Y.Item | undefined {
  const item = id === null ? undefined : itemAt(text, id);
  return item !== undefined && isDeletedTwice(item) ? item : undefined;
}

/** Whether two items were written in one go. */
function follows(next: Y.Item, { lastId }: Y.Item): boolean {
  return next.id.client === lastId.client && next.id.clock === lastId.clock + 1;
}

/** The first item of a gap; null when it is closed: its sides are neighbours again. */
export function firstIn({ text, left }: Gap): Y.Item | null {
  if (left === null) return firstItem(text);
  const item = itemAt(text, left);
  return item !== undefined && Y.compareIDs(item.lastId, left) ? item.right : null;
}

/** The item that holds a character of the text's document. */
export function itemAt(text: Y.Text, id: Y.ID): Y.Item | undefined {
  const struct = text.doc === null ? undefined : structAt(text.doc, id.client, id.clock);
  return struct instanceof Y.Item ? struct : undefined;
}

/** Whether a side of a gap is a character that is deleted. */
export function isDeletedAt({ text }: Gap, id: Y.ID | null): boolean {
  return id !== null && itemAt(text, id)?.deleted === true;
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

/** Whether an item begins at a place. */
export function isAt({ id }: Y.Item, place: Y.ID | null): boolean {
  return place !== null && Y.compareIDs(id, place);
}

/** Whether two places are the same. */
export function isSame(a: Y.ID | null, b: Y.ID | null): boolean {
  return a === null || b === null ? a === b : Y.compareIDs(a, b);
}
