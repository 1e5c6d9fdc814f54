import { expect, test } from "vitest";
import { StoreError } from "../../src/documents/log/outline-log.ts";
import { StoreHealth } from "../../src/documents/log/store-health.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import { FaultyLog } from "./support/faulty-log.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { codeOf, stateOf, turns } from "./support/workshop.ts";

const MIB = 2 ** 20;
const NEVER = (): Promise<string> => new Promise(() => undefined);

function healthOf() {
  const clock = new ManualClock();
  const log = new FaultyLog(new MemoryStore().log);
  const limits = { probeMs: 100, longestProbeMs: 2_000, appendTimeoutMs: 5_000 };
  const told: string[] = [];
  const health = new StoreHealth({
    log,
    timers: clock,
    limits,
    events: {
      onStoreFailing: () => told.push("failing"),
      onStoreWorking: () => told.push("working"),
    },
  });
  return { clock, log, health, told };
}

test("[P56] an answer that came while the process stood still counts", async () => {
  const { clock, health } = healthOf();
  let answer = (_text: string): void => undefined;
  const call = health.append(() => new Promise<string>((resolve) => (answer = resolve)), 1);
  // Hours later, as after a laptop was opened: the alarm rings before anything is read.
  const waking = clock.leap(10_000_000, 10_000_000);
  answer("here");
  await waking;
  expect([await call, health.isFailing]).toEqual(["here", false]);
});

test("[P56] so does one that comes some time after the process has woken: it had not begun to write", async () => {
  const { clock, health } = healthOf();
  let answer = (_text: string): void => undefined;
  const call = health.append(() => new Promise<string>((resolve) => (answer = resolve)), 1);
  await clock.leap(10_000_000, 10_000_000);
  await clock.advance(3_000);
  answer("here");
  expect([await call, health.isFailing]).toEqual(["here", false]);
});

test("[P56] no answer is a failure all the same", async () => {
  const { clock, health } = healthOf();
  const failure = health.append(NEVER, 1).catch(codeOf);
  await clock.leap(5_000, 1_000);
  expect(await failure).toBe("unavailable");
  expect(health.isFailing).toBe(true);
  health.close();
});

test("[P56] a large append has longer, and so have those that wait behind it", async () => {
  const { clock, health } = healthOf();
  const large = health.append(NEVER, 800 * MIB).catch(codeOf);
  const small = health.append(NEVER, 1).catch(codeOf);
  await clock.leap(100_000, 1_000);
  expect(await Promise.all([large, small].map(stateOf))).toEqual(["pending", "pending"]);
  await clock.leap(10_000, 1_000);
  expect(await Promise.all([large, small])).toEqual(["unavailable", "unavailable"]);
  health.close();
});

test("[P61] a read that takes too long fails alone: appends and probes tell whether the store does", async () => {
  const { clock, health, told } = healthOf();
  const slow = health.attempt(NEVER, 1_000).catch(codeOf);
  await clock.advance(1_100);
  expect(await slow).toBe("unavailable");
  await turns();
  expect([health.isFailing, told]).toEqual([false, []]);
});

test("[P61] as long as parts of it come, a read goes on", async () => {
  const { clock, health } = healthOf();
  let progress = (): void => undefined;
  const reading = health.attempt((onProgress) => {
    progress = onProgress;
    return NEVER();
  }, 1_000);
  const slow = reading.catch(codeOf);
  for (let part = 0; part < 5; part++) {
    await clock.advance(900);
    progress();
  }
  expect(await stateOf(slow)).toBe("pending");
  await clock.advance(2_000);
  expect(await slow).toBe("unavailable");
});

test("[P61] a store that fails a read and the probe behind it fails, and says when it works again", async () => {
  const { clock, log, health, told } = healthOf();
  log.fault = "fail";
  const failing = async (): Promise<never> => {
    throw new StoreError("store_unavailable", "for a test");
  };
  expect(await stateOf(health.attempt(failing, 1_000))).toBe("rejected unavailable");
  await turns();
  expect([health.isFailing, told]).toEqual([true, ["failing"]]);
  expect(await stateOf(health.probe())).toBe("rejected unavailable");
  log.recover();
  await clock.advance(200);
  expect([health.isFailing, told]).toEqual([false, ["failing", "working"]]);
  expect(await stateOf(health.probe())).toBe("resolved");
});
