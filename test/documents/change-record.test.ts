import { expect, test } from "vitest";
import type { ChangedNodes } from "../../src/core/change-recorder.ts";
import { type NodeKey, ROOT } from "../../src/core/node-key.ts";
import { NOWHERE } from "../../src/core/tree/places-before.ts";
import { decodeChanges, encodeChanges } from "../../src/documents/replica/change-record.ts";

const keyOf = (digit: string): NodeKey => digit.repeat(12) as NodeKey;

const CHANGED: ChangedNodes = new Map([
  [keyOf("a"), undefined],
  [keyOf("b"), NOWHERE],
  [keyOf("c"), { parent: keyOf("a"), isHidden: false }],
  [keyOf("d"), { parent: ROOT, isHidden: true }],
]);

test("[U87] recorded changes are read as they were written", () => {
  const { changed, ...front } = decodeChanges(encodeChanges(5, CHANGED));
  expect([front, new Map(changed)]).toEqual([{ at: 5, count: CHANGED.size }, CHANGED]);
});

test("[U87] when changes were recorded is read without them", () => {
  const { at, count, changed } = decodeChanges(encodeChanges(5, CHANGED).subarray(0, -1));
  expect([at, count]).toEqual([5, CHANGED.size]);
  expect(() => [...changed]).toThrow("a change is cut off");
});
