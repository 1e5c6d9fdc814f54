import { expect, test } from "vitest";
import { Outbox, tokensOf } from "../../../client/lib/outbox.ts";

const EDIT = { token: "tab.1", madeAt: 0, update: new Uint8Array([0, 0]), number: undefined };
const STORED = { ...EDIT, number: 5 };

test("[L18] an edit that was read from the store before its tab knew its number is settled by both names", () => {
  const outbox = new Outbox();
  const read = outbox.addStored({ number: 5, update: EDIT.update }, 0);
  outbox.add(STORED);
  expect(outbox.size).toBe(1);
  const settled = outbox.settle([{ token: "another tab's", number: 5 }]);
  expect(tokensOf(settled)).toEqual([read, "tab.1"]);
  expect(settled.flatMap(({ numbers }) => numbers)).toEqual([5]);
  expect(outbox.has(EDIT)).toBe(false);
});

test("[L18] an edit that was told of, then read from the store, is settled by both names", () => {
  const outbox = new Outbox();
  outbox.add(EDIT);
  const read = outbox.addStored({ number: 5, update: EDIT.update }, 0);
  outbox.add(STORED);
  expect(outbox.size).toBe(1);
  expect(tokensOf(outbox.settle([EDIT]))).toEqual([read, "tab.1"]);
  expect(outbox.size).toBe(0);
});

test("[L9] days of typing, read from the store once more, are settled at a cost of milliseconds", () => {
  const outbox = new Outbox();
  const { update } = EDIT;
  // Work for each of them by each other would take minutes.
  const numbers = Array.from({ length: 150_000 }, (_, index) => index + 1);
  for (const number of numbers) outbox.add({ token: `tab.${number}`, madeAt: 0, update, number });
  for (const number of numbers) outbox.addStored({ number, update }, 0);
  const edits = outbox.all();
  for (let from = 0; from < edits.length; from += 256) outbox.settle(edits.slice(from, from + 256));
  expect(outbox.size).toBe(0);
});
