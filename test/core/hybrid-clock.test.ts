import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeTime, encodeTime, HybridClock } from "../../src/core/hybrid-clock.ts";

const TIMES = fc.integer({ min: 0, max: 2 ** 42 - 1 });

test("[O7] encoded times read back, and compare as the times do", () => {
  fc.assert(
    fc.property(TIMES, TIMES, (a, b) => {
      expect(decodeTime(encodeTime(a))).toBe(a);
      expect(Math.sign(a - b)).toBe(
        encodeTime(a) < encodeTime(b) ? -1 : encodeTime(a) > encodeTime(b) ? 1 : 0,
      );
    }),
  );
  expect(["", "1234567!", "123456", "!!!!!!!"].map(decodeTime)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("[O7] every tick is greater than every time seen, and physical time when it can be", () => {
  const clock = new HybridClock();
  expect(clock.tick(1000)).toBe(1000);
  expect(clock.tick(1000)).toBe(1001);
  clock.observe(5000);
  expect(clock.tick(2000)).toBe(5001);
  expect(clock.tick(9000)).toBe(9000);
});

test("[O7] a time beyond the range stops the clock instead of breaking it", () => {
  const clock = new HybridClock();
  clock.observe(Number.MAX_SAFE_INTEGER);
  expect(encodeTime(clock.tick(1))).toBe(encodeTime(clock.tick(2)));
});
