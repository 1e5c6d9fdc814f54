import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  encodeOrderInt,
  isOrderKey,
  orderBetween,
  orderTag,
  spreadOrders,
} from "../../../src/core/tree/order-key.ts";

/** Inserts a key at `index` of a sorted list, in the run of `tag`. */
function insertAt(keys: string[], index: number, tag: string): string {
  const key = orderBetween(keys[index - 1] ?? null, keys[index] ?? null, tag);
  keys.splice(index, 0, key);
  return key;
}

function grow(count: number, indexOf: (keys: readonly string[], step: number) => number): string[] {
  const keys: string[] = [];
  for (let step = 0; step < count; step++) insertAt(keys, indexOf(keys, step), orderTag(77));
  return keys;
}

function longest(keys: readonly string[]): number {
  return Math.max(...keys.map((key) => key.length));
}

function isStrictlySorted(keys: readonly string[]): boolean {
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? "") < key);
}

describe("ints", () => {
  test("[O1] the encoding keeps the order of ints, over every change of length", () => {
    const around = (value: number): number[] =>
      Array.from({ length: 400 }, (_, index) => value - 200 + index);
    const values = [0, 20, 84, 4180, 266_324, 17_043_540].flatMap((edge) => [
      ...around(edge),
      ...around(-edge),
    ]);
    const sorted = [...new Set(values)].sort((a, b) => a - b);
    const encoded = sorted.map(encodeOrderInt);
    expect(isStrictlySorted(encoded)).toBe(true);
    expect(encoded.every(isOrderKey)).toBe(true);
  });

  test("[O1] small ints are one character, the next thousands at most three", () => {
    expect([-20, -1, 0, 19].map((value) => encodeOrderInt(value).length)).toEqual([1, 1, 1, 1]);
    expect([-21, 20, 83, 4179].map((value) => encodeOrderInt(value).length)).toEqual([2, 2, 2, 3]);
  });
});

describe("keys between two keys", () => {
  test("[O2] lie strictly between, whoever writes where", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 5 })), { maxLength: 200 }),
        (steps) => {
          const keys: string[] = [];
          for (const [place, run] of steps) {
            insertAt(keys, place % (keys.length + 1), orderTag(run * 1000));
          }
          expect(isStrictlySorted(keys)).toBe(true);
          expect(keys.every(isOrderKey)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("[O2] refuse neighbours that are out of order", () => {
    const key = orderBetween(null, null, orderTag(1));
    expect(() => orderBetween(key, key, orderTag(1))).toThrow(RangeError);
  });

  test("[O2] exist between the tightest keys that anyone can write", () => {
    const lowest = encodeOrderInt(-(2 ** 29));
    const nested = `${encodeOrderInt(5)}--${lowest}`;
    for (const before of [nested, encodeOrderInt(6)]) {
      const key = orderBetween(encodeOrderInt(5), before, orderTag(9));
      expect(isOrderKey(key)).toBe(true);
      expect(key >= encodeOrderInt(5) && key < before).toBe(true);
    }
  });
});

describe("growth", () => {
  test("[O3] 10,000 appended or prepended lines stay at 7 characters", () => {
    expect(longest(grow(10_000, (keys) => keys.length))).toBeLessThanOrEqual(7);
    expect(longest(grow(10_000, () => 0))).toBeLessThanOrEqual(7);
  });

  test("[O3] 3,000 lines in a row in the middle stay at 10 characters", () => {
    expect(
      longest(grow(3000, (_, step) => Math.min(step, Math.max(1, step - 1)))),
    ).toBeLessThanOrEqual(10);
    const keys = grow(2, (list) => list.length);
    for (let step = 0; step < 3000; step++) insertAt(keys, 1, orderTag(78));
    expect(longest(keys)).toBeLessThanOrEqual(10);
  });

  test("[O3] 10,000 lines at random places stay under 30 characters", () => {
    let state = 1;
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    expect(longest(grow(10_000, (keys) => random(keys.length + 1)))).toBeLessThanOrEqual(30);
  });
});

describe("runs", () => {
  test.each(["start", "middle", "end"] as const)(
    "[O4] two offline runs at the %s stay two blocks, written forwards or backwards",
    (place) => {
      for (const isForwards of [true, false]) {
        for (let trial = 0; trial < 100; trial++) {
          const base = grow(6, (keys) => keys.length);
          const at = place === "start" ? 0 : place === "middle" ? 3 : 6;
          const merged = base.map((key) => ({ key, author: "" }));
          for (const [author, run] of [
            ["A", 100 + trial],
            ["B", 3000 - trial],
          ] as const) {
            let after = base[at - 1] ?? null;
            let before = base[at] ?? null;
            for (let line = 0; line < 20; line++) {
              const key = orderBetween(after, before, orderTag(run));
              if (isForwards) after = key;
              else before = key;
              merged.push({ key, author });
            }
          }
          merged.sort((a, b) => (a.key < b.key ? -1 : 1));
          const authors = merged.map(({ author }) => author).join("");
          expect(authors.replaceAll(/(.)\1*/g, "$1")).toMatch(/^(AB|BA)$/);
        }
      }
    },
  );
});

describe("well-formedness", () => {
  test("[O5] everything but a key is told from a key", () => {
    for (const text of ["", "!", "z", "V--", "V-", "Vaa", "é", "V aa", "Vaa!", "zzzzzzzz"]) {
      expect(isOrderKey(text)).toBe(false);
    }
    fc.assert(fc.property(fc.string(), (text) => typeof isOrderKey(text) === "boolean"));
  });
});

describe("rebalancing", () => {
  test("[O6] spread keys ascend strictly between the neighbours and are short", () => {
    const keys = grow(40, (list, step) => (step % 2 === 0 ? 1 : Math.max(0, list.length - 2)));
    for (let index = 0; index + 1 < keys.length; index++) {
      const [after, before] = [keys[index] ?? null, keys[index + 1] ?? null];
      const spread = spreadOrders(after, before, 77, 100);
      expect(isStrictlySorted([after ?? "", ...spread, before ?? ""])).toBe(true);
    }
    expect(longest(spreadOrders(null, null, 5, 1000))).toBeLessThanOrEqual(7);
  });
});
