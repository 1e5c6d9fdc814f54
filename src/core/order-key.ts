/**
 * Order keys: fractional positions among siblings that carry a tag of the editing run they belong to.
 *
 * A key is `int (tag int)*`. Keys are compared as plain strings; equal keys are ordered by the node
 * keys beside them. An int is a self-delimiting, order-preserving number in base 64, a tag two such
 * characters. An author keeps adding inside the group that carries the own tag, so two runs written
 * offline at one place stay two blocks, and keys stay short however often one place is used
 * (docs/SPEC.md, rules O).
 */

/** The alphabet in ASCII order, so that comparing strings compares digits. */
export const ORDERED_DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

const BASE = 64;
const TAG_LENGTH = 2;
const TAG_COUNT = BASE ** TAG_LENGTH;
/** Ints that are written as their lead character alone: -20 to 19. */
const SHORT_INTS = 20;
const LEAD_OF_ZERO = 32;
/** Characters that may follow the lead of a long int. */
const MAX_TAIL = 5;
/** Distance that a run keeps to its own neighbours, so that later lines fit in between. */
const STEP = 8;

const DIGIT_VALUES: ReadonlyMap<string, number> = new Map(
  ORDERED_DIGITS.split("").map((digit, value) => [digit, value]),
);

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

function digitAt(text: string, index: number): number {
  return DIGIT_VALUES.get(text.charAt(index)) ?? -1;
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

interface ReadInt {
  readonly value: number;
  readonly end: number;
}

function readInt(text: string, start: number): ReadInt | undefined {
  const lead = digitAt(text, start);
  if (lead < 0) return undefined;
  const short = lead - LEAD_OF_ZERO;
  if (short >= -SHORT_INTS && short < SHORT_INTS) return { value: short, end: start + 1 };
  const isNegative = short < 0;
  const tail = isNegative ? -SHORT_INTS - short : short - SHORT_INTS + 1;
  if (tail > MAX_TAIL || start + tail >= text.length) return undefined;
  let rest = 0;
  for (let index = start + 1; index <= start + tail; index++) {
    const digit = digitAt(text, index);
    if (digit < 0) return undefined;
    rest = rest * BASE + digit;
  }
  const magnitude = offsetOfTail(tail) + (isNegative ? BASE ** tail - 1 - rest : rest);
  return { value: isNegative ? -magnitude - 1 : magnitude, end: start + 1 + tail };
}

/** A parsed key: ints at even places, tags at odd ones; it always ends with an int. */
interface OrderPath {
  readonly ints: readonly number[];
  readonly tags: readonly string[];
}

function parseOrder(text: string): OrderPath | undefined {
  const ints: number[] = [];
  const tags: string[] = [];
  for (let at = 0; ;) {
    const int = readInt(text, at);
    if (int === undefined) return undefined;
    ints.push(int.value);
    if (int.end === text.length) return { ints, tags };
    const tag = text.slice(int.end, int.end + TAG_LENGTH);
    if (digitAt(tag, 0) < 0 || digitAt(tag, 1) < 0) return undefined;
    tags.push(tag);
    at = int.end + TAG_LENGTH;
  }
}

function pathOf(key: string): OrderPath {
  const path = parseOrder(key);
  if (path === undefined) throw new TypeError("not an order key");
  return path;
}

/** Whether a text is a well-formed order key. Everything read from a document is asked first. */
export function isOrderKey(text: string): boolean {
  return parseOrder(text) !== undefined;
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
  const a = after === null ? undefined : pathOf(after);
  const b = before === null ? undefined : pathOf(before);
  const fits = (key: string): boolean =>
    (after === null || key > after) && (before === null || key < before);

  for (const [path, sign] of [
    [a, 1],
    [b, -1],
  ] as const) {
    const step = path && stepInRun(path, tag, sign, fits);
    if (step !== undefined) return step;
  }

  let best: string | undefined;
  for (const key of groupCandidates(a, b, tag)) {
    if (!fits(key)) continue;
    if (
      best === undefined ||
      key.length < best.length ||
      (key.length === best.length && key < best)
    )
      best = key;
  }
  return best ?? after ?? before ?? "";
}

/** The next place in the run's own group behind (`sign` 1) or before (-1) the key of `path`. */
function stepInRun(
  path: OrderPath,
  tag: string,
  sign: 1 | -1,
  fits: (key: string) => boolean,
): string | undefined {
  if (path.tags.at(-1) !== tag) return undefined;
  const last = path.ints.length - 1;
  const prefix = writePrefix(path, last);
  for (let step = STEP; step >= 1; step /= 2) {
    const value = (path.ints[last] ?? 0) + sign * step;
    if (!isEncodable(value)) continue;
    const key = prefix + encodeOrderInt(value);
    if (fits(key)) return key;
  }
  return undefined;
}

/** New groups `int tag 0` at every place that can be between two keys; not all of them are. */
function* groupCandidates(
  a: OrderPath | undefined,
  b: OrderPath | undefined,
  tag: string,
): Generator<string> {
  const group = function* (path: OrderPath, depth: number, value: number): Generator<string> {
    if (isEncodable(value)) {
      yield writePrefix(path, depth) + encodeOrderInt(value) + tag + encodeOrderInt(0);
    }
  };
  const intOf = (path: OrderPath, depth: number): number => path.ints[depth] ?? 0;

  if (a !== undefined && b !== undefined) {
    const common = commonDepth(a, b);
    const depth = Math.floor(common);
    if (common > depth) {
      // They share the int at `depth` and part at the tag behind it (or `a` ends there).
      yield* group(a, depth, intOf(a, depth));
    } else {
      const gap = intOf(b, depth) - intOf(a, depth);
      if (gap > 1) {
        yield* group(a, depth, intOf(a, depth) + (gap > 2 * STEP ? STEP : Math.floor(gap / 2)));
      }
      yield* group(a, depth, intOf(a, depth));
      yield* group(b, depth, intOf(b, depth));
    }
    const next = common > depth ? depth + 1 : Math.floor(common) + 1;
    if (a.ints.length > next) {
      yield* group(a, next, intOf(a, next) + STEP);
      yield* group(a, next, intOf(a, next) + 1);
    }
    if (b.ints.length > next) {
      yield* group(b, next, intOf(b, next) - STEP);
      yield* group(b, next, intOf(b, next) - 1);
    }
  } else if (a !== undefined) {
    yield* group(a, 0, intOf(a, 0) + STEP);
  } else if (b !== undefined) {
    yield* group(b, 0, intOf(b, 0) - STEP);
  }
  // Always there unless the ints are used up: right behind `a`, or one before the last int of `b`.
  if (a !== undefined) {
    yield* group(a, a.ints.length - 1, intOf(a, a.ints.length - 1));
    yield* group(a, a.ints.length - 1, intOf(a, a.ints.length - 1) + 1);
  }
  if (b !== undefined) {
    yield* group(b, b.ints.length - 1, intOf(b, b.ints.length - 1) - 1);
  }
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
