import type * as Y from "yjs";
import { type Gap, isDeletedAt, type Question } from "./gap.ts";
import type { Insertion } from "./insertions.ts";

/** Characters that are the same edit wherever two put them; fewer only in place of others. */
const MIN_ALONE = 3;

/**
 * What to take out of a gap so that what several authors inserted there alike is there once: of equal
 * insertions all but the first. Each is looked at as a whole: another letter, or another format, makes
 * it another edit. A rule about the state alone, so that the order in which the insertions came does
 * not matter.
 * @param isNew whether an item came since the gap was last looked at. One of two equal insertions must
 *   have come as a whole: what comes letter by letter is typed in front of everybody's eyes.
 * @param isAdded whether repair has added an item: another repair, before a restore, may have done so too
 */
export function twinsAmong(
  insertions: readonly Insertion[],
  gap: Gap,
  isNew: Question,
  isAdded: Question,
): readonly Insertion[] {
  const isReplacement = gap.isEmptied || isDeletedAt(gap, gap.left) || isDeletedAt(gap, gap.right);
  const candidates = insertions.filter(({ isByItself }) => isByItself);
  const byLength = new Map<number, number>();
  for (const { length } of candidates) byLength.set(length, (byLength.get(length) ?? 0) + 1);
  const added = new Set(
    insertions.filter(({ items }) => items.some(isAdded)).map(({ said }) => said),
  );
  const firsts = new Map<string, { isWhole: boolean }>();
  const twins: Insertion[] = [];
  for (const insertion of candidates) {
    // What it says takes longest to find out, and is seldom asked for.
    if (byLength.get(insertion.length) === 1) continue;
    const { items, said, length } = insertion;
    if (said === undefined) continue;
    if (length < (isReplacement || added.has(said) ? 1 : MIN_ALONE)) continue;
    const isWhole = items.every(isNew);
    const first = firsts.get(said);
    if (first === undefined) firsts.set(said, { isWhole });
    else if (first.isWhole || isWhole) twins.push(insertion);
  }
  return twins;
}

/** Takes characters out of their text. */
export function takeOut(transaction: Y.Transaction, text: Y.Text, items: readonly Y.Item[]): void {
  for (const item of items) item.delete(transaction);
  // Yjs looks for places from where it knows the index of, which only its own deletions keep right.
  text._searchMarker?.splice(0);
}
