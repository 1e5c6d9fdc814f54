import { expect, test } from "vitest";
import { RateLimiter } from "../../src/accounts/rate-limiter.ts";

function limiterAt(perMinute: number): { limiter: RateLimiter; wait: (ms: number) => void } {
  let now = 1_000_000;
  return { limiter: new RateLimiter(perMinute, () => now), wait: (ms) => (now += ms) };
}

test("[E38] as many as a minute allows at once, then evenly", () => {
  const { limiter, wait } = limiterAt(3);
  expect([1, 2, 3, 4].map(() => limiter.take("a"))).toEqual([0, 0, 0, 20_000]);
  wait(19_999);
  expect(limiter.take("a")).toBe(1);
  wait(1);
  expect([1, 2].map(() => limiter.take("a"))).toEqual([0, 20_000]);
  wait(60_000);
  expect([1, 2, 3, 4].map(() => limiter.take("a"))).toEqual([0, 0, 0, 20_000]);
});

test("[E38] keys are counted apart, and refusals are not counted", () => {
  const { limiter, wait } = limiterAt(1);
  expect(limiter.take("a")).toBe(0);
  for (let round = 0; round < 10; round += 1) expect(limiter.take("a")).toBe(60_000);
  expect(limiter.take("b")).toBe(0);
  wait(60_000);
  expect(limiter.take("a")).toBe(0);
});

test("[Q24] what is given back can be taken again, in whatever time it is counted", () => {
  let now = 1_000_000;
  const limiter = new RateLimiter(2, () => now, 10_000);
  expect([1, 2, 3].map(() => limiter.take("a"))).toEqual([0, 0, 5000]);
  limiter.giveBack("a");
  limiter.giveBack("b");
  expect([limiter.take("a"), limiter.take("a")]).toEqual([0, 5000]);
  now += 10_000;
  expect([1, 2, 3].map(() => limiter.take("a"))).toEqual([0, 0, 5000]);
});

test("[E38] a clock that was set back keeps nobody waiting", () => {
  const { limiter, wait } = limiterAt(3);
  for (let round = 0; round < 4; round += 1) limiter.take("a");
  wait(-3_600_000);
  expect([1, 2, 3, 4].map(() => limiter.take("a"))).toEqual([0, 0, 0, 20_000]);
});
