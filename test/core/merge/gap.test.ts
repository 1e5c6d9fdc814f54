import { expect, test } from "vitest";
import * as Y from "yjs";
import { gapsBeside } from "../../../src/core/merge/gap.ts";
import { rangeBehind } from "../../../src/core/yjs/clock-ranges.ts";

const WRITER = 500;

/** New items, each right behind so many letters that were deleted, and not knowing of one another. */
function besideDeleted(letters: number, items: number): readonly Y.Item[] {
  const doc = new Y.Doc();
  doc.clientID = WRITER;
  const text = doc.getText("text");
  text.insert(0, "AB");
  doc.transact(() => {
    // Each before the last: Yjs merges none of them.
    for (let typed = 0; typed < letters; typed++) text.insert(1, "x");
  });
  text.delete(1, letters);
  const made: Y.Item[] = [];
  doc.transact((transaction) => {
    let left = text._start;
    while (left?.right?.deleted === true) left = left.right;
    let right = left?.right;
    for (let index = 0; index < items; index++) {
      if (left === null || right === null || right === undefined) throw new Error("no place");
      const client = 600 + (index % 2);
      const id = Y.createID(client, Y.getState(doc.store, client));
      const content = new Y.ContentString("y");
      const item = new Y.Item(id, left, left.lastId, right, right.id, text, null, content);
      item.integrate(transaction, 0);
      made.push((right = item));
    }
  });
  return made;
}

test("[Q42] what stands beside much that two have deleted costs no more for that", () => {
  const ITEMS = 20;
  const items = besideDeleted(5_000, ITEMS);
  let asked = 0;
  for (const item of items) {
    gapsBeside(item, ({ id, deleted }) => {
      asked += 1;
      return deleted && id.client === WRITER;
    });
  }
  expect(asked).toBeLessThan(ITEMS * 1_010);
});

test("[D80] what two have deleted around a place is in the gap there", () => {
  const [item] = besideDeleted(900, 2);
  const gaps = item && gapsBeside(item, ({ id, deleted }) => deleted && id.client === WRITER);
  // Behind the A and before the B.
  expect(gaps).toMatchObject([
    { left: { client: WRITER, clock: 0 }, right: { client: WRITER, clock: 1 }, isEmptied: true },
  ]);
});

test("[Q42] a clock is found among many ranges by a few looks", () => {
  let looks = 0;
  const ranges = Array.from({ length: 8_192 }, (_, at) => (at % 2 === 0 ? 5 * at : 3));
  const counted = new Proxy(ranges, {
    get(target, name) {
      looks += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
  expect(rangeBehind(counted, 1_000)).toEqual({ start: 1_000, end: 1_003 });
  expect(rangeBehind(counted, 1_003)).toEqual({ start: 1_010, end: 1_013 });
  expect(rangeBehind(counted, 100_000)).toBeUndefined();
  expect(rangeBehind([], 0)).toBeUndefined();
  expect(looks).toBeLessThan(200);
});
