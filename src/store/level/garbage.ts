import { type Database, type KeyRange, type Operation, reading, type View } from "../database.ts";
import { putSealed, unseal } from "../record.ts";
import { firstOfGarbage, GARBAGE_MARKS, garbageMark } from "../store-keys.ts";

/**
 * Removal of ranges that are too large for one batch. The batch that makes a range unreachable also
 * marks it; the marked keys are then deleted page by page, and the mark last. A crash in between
 * leaves the mark, and opening the store finishes the work before anything is served.
 */
export function markAsGarbage(range: KeyRange): Operation {
  return putSealed(garbageMark(range), Buffer.from(range.to));
}

export function unmark(range: KeyRange): Operation {
  return { key: garbageMark(range) };
}

/** @throws DamagedRecordError */
export async function garbageRanges(view: View): Promise<readonly KeyRange[]> {
  const ranges: KeyRange[] = [];
  for await (const page of view.entries(GARBAGE_MARKS)) {
    for (const { key, value } of page) {
      ranges.push({ from: firstOfGarbage(key), to: Buffer.from(unseal(key, value)).toString() });
    }
  }
  return ranges;
}

/** Deletes a marked range, and then the mark. */
export async function sweep(
  range: KeyRange,
  view: View,
  write: (operations: readonly Operation[]) => Promise<void>,
): Promise<void> {
  for await (const page of view.keys(range)) await write(page.map((key) => ({ key })));
  await write([unmark(range)]);
}

/** The same of all that are marked, before anybody else uses the database. */
export function sweepAll(database: Database): Promise<void> {
  return reading(database, async (view) => {
    for (const range of await garbageRanges(view)) {
      await sweep(range, view, (operations) => database.write(operations));
    }
  });
}

export function isIn(key: string, { from, to }: KeyRange): boolean {
  return from <= key && key < to;
}
