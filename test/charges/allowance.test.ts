import { expect, test } from "vitest";
import { Allowance } from "../../src/charges/allowance.ts";

test("[S28] an allowance gives all it has at once, then evenly", () => {
  const allowance = new Allowance({ count: 3, windowMs: 1500 });
  const take = (now: number): number => allowance.take(now);
  expect([0, 0, 0, 0].map(take)).toEqual([0, 0, 0, 500]);
  expect([499, 500, 500, 1000].map(take)).toEqual([1, 0, 500, 0]);
  expect([60_000, 60_000, 60_000, 60_000].map(take)).toEqual([0, 0, 0, 500]);
});

test("[S28] a clock that was set back leaves an allowance whole", () => {
  const allowance = new Allowance({ count: 3, windowMs: 1500 });
  expect(allowance.take(3_600_000)).toBe(0);
  expect([0, 0, 0, 0].map((now) => allowance.take(now))).toEqual([0, 0, 0, 500]);
});
