import { expect, test } from "vitest";
import { RecentUpdates } from "../../src/documents/replica/recent-updates.ts";

/** Adds so many; says whether more than `most` of them were kept at any time. */
function keptMoreThan(most: number, recent: RecentUpdates, count: number, bytes: number): boolean {
  let isMore = false;
  for (let seq = 1; seq <= count; seq++) {
    recent.add([new Uint8Array(bytes)], seq);
    if (recent.since(seq - most - 1) !== undefined) isMore = true;
  }
  return isMore;
}

test("[Q55] of the newest updates only so many stay, and so many bytes", () => {
  const small = new RecentUpdates(0);
  expect(keptMoreThan(8_192, small, 20_000, 10)).toBe(false);
  expect(small.since(20_000 - 4_096)).toHaveLength(4_096);
  const large = new RecentUpdates(0);
  expect(keptMoreThan(2 ** 21 / 100_000, large, 100, 100_000)).toBe(false);
  expect(large.since(100 - 10)).toHaveLength(10);
});

test("[Q55] what was trimmed is not told as if it were all", () => {
  const recent = new RecentUpdates(0);
  for (let seq = 1; seq <= 30; seq++) recent.add([new Uint8Array(100_000)], seq);
  expect([recent.since(0), recent.since(29)?.length, recent.since(30)]).toEqual([undefined, 1, []]);
});
