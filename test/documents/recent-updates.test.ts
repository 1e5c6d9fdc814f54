import { expect, test } from "vitest";
import { RecentUpdates } from "../../src/documents/recent-updates.ts";

/** How many of the newest updates are kept of so many. */
function keptOf(count: number, bytes: number): number {
  const recent = new RecentUpdates(0);
  let most = 0;
  for (let seq = 1; seq <= count; seq++) {
    recent.add([new Uint8Array(bytes)], seq);
    while (recent.since(seq - most - 1) !== undefined && most < seq) most++;
  }
  return most;
}

test("[Q55] of the newest updates only so many stay, and so many bytes", () => {
  expect(keptOf(100, 10)).toBe(100);
  expect(keptOf(20_000, 10)).toBeLessThanOrEqual(8_192);
  expect(keptOf(100, 100_000) * 100_000).toBeLessThanOrEqual(2 ** 21);
});

test("[Q55] what was trimmed is not told as if it were all", () => {
  const recent = new RecentUpdates(0);
  for (let seq = 1; seq <= 30; seq++) recent.add([new Uint8Array(100_000)], seq);
  expect([recent.since(0), recent.since(29)?.length, recent.since(30)]).toEqual([undefined, 1, []]);
});
