import fc from "fast-check";
import { expect, test } from "vitest";
import * as Y from "yjs";
import {
  differenceAtCaret,
  offsetAfter,
  rangeAfter,
} from "../../../../client/app/editor/text-difference.ts";

test.each([
  ["aaaa", "aaaaa", 3, { at: 2, remove: 0, insert: "a" }],
  ["aaaa", "aaa", 1, { at: 1, remove: 1, insert: "" }],
  ["abab", "ababab", 4, { at: 2, remove: 0, insert: "ab" }],
  ["teh cat", "the cat", 3, { at: 1, remove: 2, insert: "he" }],
  ["abc", "", 0, { at: 0, remove: 3, insert: "" }],
  ["", "abc", 3, { at: 0, remove: 0, insert: "abc" }],
  ["one two", "two one", 7, { at: 0, remove: 7, insert: "two one" }],
])("[W1] from %j to %j with the caret at %i", (before, after, caret, difference) => {
  expect(differenceAtCaret(before, after, caret)).toEqual(difference);
});

test("[W1] a difference makes one text of the other, wherever the caret is", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "😀"), maxLength: 12 });
  fc.assert(
    fc.property(text, text, fc.nat(30), (before, after, caret) => {
      const found = differenceAtCaret(before, after, caret);
      if (found === undefined) {
        expect(before).toBe(after);
        return;
      }
      const { at, remove, insert } = found;
      expect(before.slice(0, at) + insert + before.slice(at + remove)).toBe(after);
      expect(remove + insert.length).toBeGreaterThan(0);
    }),
  );
});

test("[W3] a place goes with the characters around it, whatever is changed", () => {
  const change = fc.record({ at: fc.nat(20), remove: fc.nat(4), insert: fc.nat(3) });
  const offset = fc.nat(20);
  fc.assert(
    fc.property(fc.array(change, { maxLength: 4 }), offset, (changes, number) => {
      const text = new Y.Doc().getText();
      // Every character is another one, so that it is found again.
      const letters = Array.from({ length: 20 }, (_, index) => String.fromCharCode(65 + index));
      text.insert(0, letters.join(""));
      let delta: Y.YTextEvent["delta"] = [];
      text.observe((event) => {
        delta = event.delta;
      });
      text.doc?.transact(() => {
        for (const { at, remove, insert } of changes) {
          const from = Math.min(at, text.length);
          text.delete(from, Math.min(remove, text.length - from));
          text.insert(from, "?".repeat(insert));
        }
      });
      const now = text.toJSON();
      for (const stick of ["left", "right"] as const) {
        const found = offsetAfter(delta, number, stick);
        const before = letters.slice(0, number).filter((letter) => now.includes(letter));
        const behind = letters.slice(number).filter((letter) => now.includes(letter));
        const [head, tail] = [now.slice(0, found), now.slice(found)];
        expect(before.filter((letter) => !head.includes(letter))).toEqual([]);
        expect(behind.filter((letter) => !tail.includes(letter))).toEqual([]);
      }
      const range = rangeAfter(delta, { anchor: 5, head: 15 });
      expect(rangeAfter(delta, { anchor: 15, head: 5 })).toEqual({
        anchor: range.head,
        head: range.anchor,
      });
    }),
    { numRuns: 500 },
  );
});

test("[W3] what is inserted at a place comes behind it, or before it when it sticks to the right", () => {
  const delta = [{ retain: 3 }, { insert: "xy" }];
  expect([offsetAfter(delta, 3), offsetAfter(delta, 3, "right")]).toEqual([3, 5]);
  expect(rangeAfter([{ insert: "xy" }], { anchor: 0, head: 0 })).toEqual({ anchor: 0, head: 0 });
  expect(rangeAfter(delta, { anchor: 3, head: 6 })).toEqual({ anchor: 5, head: 8 });
  expect(rangeAfter(delta, { anchor: 0, head: 3 })).toEqual({ anchor: 0, head: 3 });
});
