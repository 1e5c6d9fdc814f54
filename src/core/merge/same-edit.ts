import type * as Y from "yjs";
import { type Gap, isDeletedAt, type Question } from "./gap.ts";
import type { Insertion } from "./insertions.ts";
import { forgetPlaces } from "../yjs/inside.ts";
import { joinedLine } from "./joined-line.ts";

/** Characters that are the same edit wherever two put them; fewer in place of others, by joins, or long apart. */
const MIN_ALONE = 3;
/** What was written that far apart was not typed at one moment. Devices date what they write to the minute. */
const APART_SEC = 120;

/**
 * What to take out of a gap so that what several authors inserted there alike is there once: of equal
 * insertions all but the first. Each is looked at as a whole: another letter, or another format, makes
 * it another edit. A rule about the state alone, so that the order in which the insertions came does
 * not matter.
 * @param isNew whether an item came since the gap was last looked at. One of two equal insertions must
 *   have come as a whole: what comes letter by letter is typed in front of everybody's eyes.
 * @param isAdded whether repair has added an item: another repair, before a restore, may have done so too
 * @param dateOf when an item was written, Unix seconds; 0 when nobody knows
 */
export function twinsAmong(
  insertions: readonly Insertion[],
  gap: Gap,
  isNew: Question,
  isAdded: Question,
  dateOf: (item: Y.Item) => number,
): readonly Insertion[] {
  const isReplacement = gap.isEmptied || isDeletedAt(gap, gap.left) || isDeletedAt(gap, gap.right);
  const candidates = insertions.filter(({ isByItself }) => isByItself);
  const byLength = new Map<number, number>();
  for (const { length } of candidates) byLength.set(length, (byLength.get(length) ?? 0) + 1);
  const added = new Set(
    insertions.filter(({ items }) => items.some(isAdded)).map(({ said }) => said),
  );
  const firsts = new Map<string, First>();
  const joined = new Map<string, First>();
  const twins: Insertion[] = [];
  for (const insertion of candidates) {
    // What it says takes longest to find out, and is seldom asked for.
    if (byLength.get(insertion.length) === 1) continue;
    const { items, said, length } = insertion;
    const [start] = items;
    if (said === undefined || start === undefined) continue;
    const isShort = length < (isReplacement || added.has(said) ? 1 : MIN_ALONE);
    const isWhole = items.every(isNew);
    const at = dateOf(start);
    const same = firstOf(firsts, said, { isWhole, at });
    const line = isShort ? joinedLine(gap.text, insertion) : undefined;
    const alike = line && firstOf(joined, `${line} ${said}`, { isWhole, at });
    const first = same !== undefined && (!isShort || isApart(same.at, at)) ? same : alike;
    if (first !== undefined && (first.isWhole || isWhole)) twins.push(insertion);
  }
  return twins;
}

/** An insertion with which later ones are compared. */
interface First {
  readonly isWhole: boolean;
  readonly at: number;
}

/** The one that was there before; undefined when this is the first. */
function firstOf(firsts: Map<string, First>, name: string, first: First): First | undefined {
  const known = firsts.get(name);
  if (known === undefined) firsts.set(name, first);
  return known;
}

function isApart(one: number, other: number): boolean {
  return one > 0 && other > 0 && Math.abs(one - other) >= APART_SEC;
}

/** Takes characters out of their text. */
export function takeOut(transaction: Y.Transaction, text: Y.Text, items: readonly Y.Item[]): void {
  for (const item of items) item.delete(transaction);
  // Yjs looks for places from where it knows the index of, which only its own deletions keep right.
  forgetPlaces(text);
}
