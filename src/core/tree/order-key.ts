import { NO_DIGIT, ORDERED_DIGITS, orderedDigitAt } from "./ordered-digits.ts";

/**
 * Order keys: fractional positions among siblings that carry a tag of the editing run they belong to.
 *
 * A key is `int (tag int)*`. Keys are compared as plain strings; equal keys are ordered by the node
 * keys beside them. An int is a self-delimiting, order-preserving number in base 64, a tag two such
 * characters. An author keeps adding inside the group that carries the own tag, so two runs written
 * offline at one place stay two blocks, and keys stay short however often one place is used
 * (docs/SPEC.md, rules O).
 */

const BASE = ORDERED_DIGITS.length;
const TAG_LENGTH = 2;
const TAG_COUNT = BASE ** TAG_LENGTH;
/** Ints that are written as their lead character alone: -20 to 19. */
const SHORT_INTS = 20;
const LEAD_OF_ZERO = 32;
/** Characters that may follow the lead of a long int. */
const MAX_TAIL = 5;
/** Distance that a run keeps to its own neighbours, so that later lines fit in between. */
const STEP = 8;

/** Where the ints with a tail of `length` characters begin, counted from zero upwards. */
const TAIL_OFFSETS: readonly number[] = Array.from({ length: MAX_TAIL + 2 }, (_, length) => {
  let offset = SHORT_INTS;
  for (let shorter = 1; shorter < length; shorter++) offset += BASE ** shorter;
  return offset;
});
const INT_LIMIT = offsetOfTail(MAX_TAIL + 1);

function offsetOfTail(length: number): number {
  return TAIL_OFFSETS[length] ?? 0;
}

function writeDigits(value: number, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest = Math.floor(rest / BASE)) {
    text = ORDERED_DIGITS.charAt(rest % BASE) + text;
  }
  return text;
}

/** Writes an int from -INT_LIMIT (inclusive) to INT_LIMIT (exclusive), order preserved. */
export function encodeOrderInt(value: number): string {
  // A negative int mirrors the non-negative one with the same magnitude: -1 mirrors 0.
  const magnitude = value < 0 ? -value - 1 : value;
  let tail = 0;
  while (magnitude >= offsetOfTail(tail + 1)) tail++;
  if (tail > MAX_TAIL) throw new RangeError(`order int ${value} is out of range`);
  if (tail === 0) return ORDERED_DIGITS.charAt(LEAD_OF_ZERO + value);
  const rest = magnitude - offsetOfTail(tail);
  return value < 0
    ? ORDERED_DIGITS.charAt(LEAD_OF_ZERO - SHORT_INTS - tail) +
        writeDigits(BASE ** tail - 1 - rest, tail)
    : ORDERED_DIGITS.charAt(LEAD_OF_ZERO + SHORT_INTS - 1 + tail) + writeDigits(rest, tail);
}

/** Where the int that begins at `start` ends; -1 when there is none. */
function endOfInt(text: string, start: number): number {
  const lead = orderedDigitAt(text, start);
  if (lead === NO_DIGIT) return -1;
  const tail = tailOf(lead - LEAD_OF_ZERO);
  const end = start + 1 + tail;
  if (tail > MAX_TAIL || end > text.length) return -1;
  for (let index = start + 1; index < end; index++) {
    if (orderedDigitAt(text, index) === NO_DIGIT) return -1;
  }
  return end;
}

/** How many characters follow a lead. @param lead counted from the lead of zero */
function tailOf(lead: number): number {
  if (lead < -SHORT_INTS) return -SHORT_INTS - lead;
  return lead < SHORT_INTS ? 0 : lead - SHORT_INTS + 1;
}

/** The int that begins at `start` and ends at `end`. */
function intIn(text: string, start: number, end: number): number {
  const lead = orderedDigitAt(text, start) - LEAD_OF_ZERO;
  const tail = end - start - 1;
  if (tail === 0) return lead;
  let rest = 0;
  for (let index = start + 1; index < end; index++) {
    rest = rest * BASE + orderedDigitAt(text, index);
  }
  return lead < 0 ? -offsetOfTail(tail) - (BASE ** tail - 1 - rest) - 1 : offsetOfTail(tail) + rest;
}

/** Where the tag that begins at `start` ends; -1 when there is none. */
function endOfTag(text: string, start: number): number {
  for (let index = start; index < start + TAG_LENGTH; index++) {
    if (orderedDigitAt(text, index) === NO_DIGIT) return -1;
  }
  return start + TAG_LENGTH;
}

/** A parsed key: ints at even places, tags at odd ones; it always ends with an int. */
interface OrderPath {
  readonly ints: readonly number[];
  readonly tags: readonly string[];
}

/** @param key well-formed */
function pathOf(key: string): OrderPath {
  if (!isOrderKey(key)) throw new TypeError("not an order key");
  const ints: number[] = [];
  const tags: string[] = [];
  for (let at = 0; ; at += TAG_LENGTH) {
    const end = endOfInt(key, at);
    ints.push(intIn(key, at, end));
    if (end === key.length) return { ints, tags };
    tags.push(key.slice(end, end + TAG_LENGTH));
    at = end;
  }
}

/** Whether a text is a well-formed order key. Everything read from a document is asked first. */
export function isOrderKey(text: string): boolean {
  let at = endOfInt(text, 0);
  while (at >= 0 && at < text.length) {
    const start = endOfTag(text, at);
    at = start < 0 ? -1 : endOfInt(text, start);
  }
  return at === text.length;
}

/** The two-character tag of an editing run; numbers are taken modulo 4,096. */
export function orderTag(run: number): string {
  return writeDigits(run % TAG_COUNT, TAG_LENGTH);
}

/** The part of a path before its int number `depth`, written out. */
function writePrefix(path: OrderPath, depth: number): string {
  let text = "";
  for (let index = 0; index < depth; index++) {
    text += encodeOrderInt(path.ints[index] ?? 0) + (path.tags[index] ?? "");
  }
  return text;
}

function isEncodable(value: number): boolean {
  return value >= -INT_LIMIT && value < INT_LIMIT;
}

/** How many leading ints and tags two paths share, counted in ints: 1.5 is an int and its tag. */
function commonDepth(a: OrderPath, b: OrderPath): number {
  for (let index = 0; ; index++) {
    if (index >= a.ints.length || index >= b.ints.length) return index;
    if (a.ints[index] !== b.ints[index]) return index;
    if (a.tags[index] === undefined || a.tags[index] !== b.tags[index]) return index + 0.5;
  }
}

/**
 * A key strictly between `after` and `before`, either of which may be null for an open end.
 * Inside the run of `tag` it steps by 8 behind `after` (or before `before`), less where it is tight;
 * otherwise it opens a group of the run where the two keys part, in a gap between ints when there is
 * one, and the shortest valid candidate wins. Requires well-formed keys with `after < before`.
 * Where hostile keys leave no room at all, the answer is `after` itself: a tie, which node keys order.
 * Source: docs/SPEC.md, rules O; compare Evan Wallace, "Realtime editing of ordered sequences".
 */
export function orderBetween(after: string | null, before: string | null, tag: string): string {
  if (after === null && before === null) return encodeOrderInt(0) + tag + encodeOrderInt(0);
  if (after !== null && before !== null && after >= before) {
    throw new RangeError("order keys are not in order");
  }
  const gap = { after, before };
  const a = after === null ? undefined : pathOf(after);
  const b = before === null ? undefined : pathOf(before);
  const step = (a && stepInRun(a, tag, 1, gap)) ?? (b && stepInRun(b, tag, -1, gap));
  return step ?? shortestGroup(a, b, tag, gap) ?? after ?? before ?? "";
}

/** What a new key has to be between. */
interface KeyGap {
  readonly after: string | null;
  readonly before: string | null;
}

function fits({ after, before }: KeyGap, key: string): boolean {
  return (after === null || key > after) && (before === null || key < before);
}

/** The next place in the run's own group behind (`sign` 1) or before (-1) the key of `path`. */
function stepInRun(path: OrderPath, tag: string, sign: 1 | -1, gap: KeyGap): string | undefined {
  if (path.tags.at(-1) !== tag) return undefined;
  const last = path.ints.length - 1;
  const prefix = writePrefix(path, last);
  for (let step = STEP; step >= 1; step /= 2) {
    const value = (path.ints[last] ?? 0) + sign * step;
    if (!isEncodable(value)) continue;
    const key = prefix + encodeOrderInt(value);
    if (fits(gap, key)) return key;
  }
  return undefined;
}

/** Where a group could be opened: in place of an int of a key. */
interface GroupPlace {
  readonly path: OrderPath;
  readonly depth: number;
  readonly value: number;
}

/** The shortest new group `int tag 0` in a gap, of several the first. */
function shortestGroup(
  a: OrderPath | undefined,
  b: OrderPath | undefined,
  tag: string,
  gap: KeyGap,
): string | undefined {
  let best: string | undefined;
  for (const { path, depth, value } of groupPlaces(a, b)) {
    if (!isEncodable(value)) continue;
    const key = writePrefix(path, depth) + encodeOrderInt(value) + tag + encodeOrderInt(0);
    if (
      best !== undefined &&
      (key.length > best.length || (key.length === best.length && key >= best))
    )
      continue;
    if (fits(gap, key)) best = key;
  }
  return best;
}

/** Every place where a group can be between two keys; not all of them are. */
function groupPlaces(a: OrderPath | undefined, b: OrderPath | undefined): readonly GroupPlace[] {
  const places: GroupPlace[] = [];
  if (a !== undefined && b !== undefined) {
    const common = commonDepth(a, b);
    const depth = Math.floor(common);
    if (common > depth) {
      // They share the int at `depth` and part at the tag behind it (or `a` ends there).
      places.push({ path: a, depth, value: intAt(a, depth) });
    } else {
      const gap = intAt(b, depth) - intAt(a, depth);
      if (gap > 1) {
        const distance = gap > 2 * STEP ? STEP : Math.floor(gap / 2);
        places.push({ path: a, depth, value: intAt(a, depth) + distance });
      }
      places.push({ path: a, depth, value: intAt(a, depth) });
      places.push({ path: b, depth, value: intAt(b, depth) });
    }
    const next = depth + 1;
    if (a.ints.length > next) {
      places.push({ path: a, depth: next, value: intAt(a, next) + STEP });
      places.push({ path: a, depth: next, value: intAt(a, next) + 1 });
    }
    if (b.ints.length > next) {
      places.push({ path: b, depth: next, value: intAt(b, next) - STEP });
      places.push({ path: b, depth: next, value: intAt(b, next) - 1 });
    }
  } else if (a !== undefined) {
    places.push({ path: a, depth: 0, value: intAt(a, 0) + STEP });
  } else if (b !== undefined) {
    places.push({ path: b, depth: 0, value: intAt(b, 0) - STEP });
  }
  // Always there unless the ints are used up: right behind `a`, or one before the last int of `b`.
  if (a !== undefined) {
    const last = a.ints.length - 1;
    places.push({ path: a, depth: last, value: intAt(a, last) });
    places.push({ path: a, depth: last, value: intAt(a, last) + 1 });
  }
  if (b !== undefined) {
    const last = b.ints.length - 1;
    places.push({ path: b, depth: last, value: intAt(b, last) - 1 });
  }
  return places;
}

function intAt(path: OrderPath, depth: number): number {
  return path.ints[depth] ?? 0;
}

/**
 * `count` ascending keys of one fresh group between two keys: what rebalancing writes. The tag must
 * be one that neither neighbour ends with; `run` numbers are tried until one is free.
 */
export function spreadOrders(
  after: string | null,
  before: string | null,
  run: number,
  count: number,
): string[] {
  const used = new Set([after, before].flatMap((key) => (key === null ? [] : pathOf(key).tags)));
  let tag = orderTag(run);
  for (let next = run + 1; used.has(tag) && next < run + TAG_COUNT; next++) tag = orderTag(next);
  const first = orderBetween(after, before, tag);
  const prefix = first.slice(0, first.length - encodeOrderInt(0).length);
  return Array.from({ length: count }, (_, index) => prefix + encodeOrderInt(index * STEP));
}
