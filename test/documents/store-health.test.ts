import { expect, test } from "vitest";
import { StoreHealth } from "../../src/documents/store-health.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { codeOf } from "./support/workshop.ts";

function health() {
  const clock = new ManualClock();
  const { log } = new MemoryStore();
  const limits = { probeMs: 100, longestProbeMs: 2_000, timeoutMs: 5_000 };
  return { clock, health: new StoreHealth({ log, timers: clock, ...limits }) };
}

test("[P56] an answer that came while the process stood still counts", async () => {
  const { clock, health: asked } = health();
  let answer = (_text: string): void => undefined;
  const call = asked.ask(() => new Promise<string>((resolve) => (answer = resolve)), 5_000);
  // Hours later, as after a laptop was opened: the alarm rings before anything is read.
  const waking = clock.leap(10_000_000, 10_000_000);
  answer("here");
  await waking;
  expect([await call, asked.isFailing]).toEqual(["here", false]);
});

test("[P56] no answer is a failure all the same", async () => {
  const { clock, health: asked } = health();
  const failure = asked.ask(() => new Promise<string>(() => undefined), 5_000).catch(codeOf);
  await clock.leap(10_000, 10_000);
  expect(await failure).toBe("unavailable");
  expect(asked.isFailing).toBe(true);
  asked.close();
});
