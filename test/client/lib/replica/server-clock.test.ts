import { afterEach, beforeEach, expect, test } from "vitest";
import type { DeviceRecords } from "../../../../client/lib/device-records.ts";
import { ServerClock } from "../../../../client/lib/server-clock.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { until } from "../../../support/socket-until.ts";
import { MemoryTabs } from "../../../support/memory-tabs.ts";
import { add, NOWHERE, ReplicaLab } from "./lab.ts";

const YEAR_MS = 365 * 86_400_000;
const NOW = Date.UTC(2026, 10, 20);

/** A device whose clock is off by so much, and can be set. */
function device(off: number) {
  const records = new Map<string, unknown>();
  const time = { passed: 0, off };
  const platform = { now: () => NOW + time.passed + time.off, elapsed: () => time.passed };
  const store: DeviceRecords = {
    read: async (name) => records.get(name),
    write: (name, value) => void records.set(name, value),
  };
  const open = (): ServerClock => new ServerClock(platform, store);
  /** Asks a server whose clock is right. */
  const measure = (clock: ServerClock, thereMs = 0, backMs = 0): boolean => {
    clock.asked();
    time.passed += thereMs;
    const answer = NOW + time.passed;
    time.passed += backMs;
    return clock.answered(answer);
  };
  return { time, open, measure, trueNow: () => NOW + time.passed };
}

test.each([0, 1_500, -1_900])("[L110] a clock that is %i ms off is left alone", (off) => {
  const { open, measure } = device(off);
  const clock = open();
  expect(measure(clock)).toBe(false);
  expect(clock.offsetMs).toBe(0);
});

test.each([YEAR_MS, -YEAR_MS, 10_000, -10_000])(
  "[L110] one that is %i ms off is corrected",
  (off) => {
    const { open, measure, trueNow } = device(off);
    const clock = open();
    expect(measure(clock)).toBe(true);
    expect(clock.now()).toBe(trueNow());
    expect(measure(clock)).toBe(false);
  },
);

test.each([
  [4_000, 0],
  [0, 4_000],
  [2_000, 2_000],
  [30, 900],
])("[L110] a line that takes %i ms there and %i back makes no good clock wrong", (there, back) => {
  const { open, measure } = device(0);
  expect(measure(open(), there, back)).toBe(false);
});

test.each([
  [900, 0],
  [0, 900],
  [5_000, 1_000],
])("[L110] nor a wrong one right by less than half of it: %i ms there, %i back", (there, back) => {
  const { open, measure, trueNow } = device(YEAR_MS);
  const clock = open();
  measure(clock, there, back);
  expect(Math.abs(clock.now() - trueNow())).toBeLessThanOrEqual((there + back) / 2);
});

test("[L111] the correction is kept for starts without a server, and goes when the clock is put right", async () => {
  const { time, open, measure, trueNow } = device(-YEAR_MS);
  measure(open());
  const clock = open();
  expect(clock.now()).toBe(trueNow() - YEAR_MS);
  await clock.read();
  expect(clock.now()).toBe(trueNow());
  time.off = 0;
  expect(measure(clock)).toBe(true);
  expect(clock.offsetMs).toBe(0);
  const later = open();
  await later.read();
  expect(later.offsetMs).toBe(0);
});

test("[L111] a clock that is set while it is connected is to be measured anew, once", () => {
  const { time, open, measure } = device(YEAR_MS);
  const clock = open();
  expect(clock.hasJumped).toBe(false);
  measure(clock);
  time.passed += 3_600_000;
  expect(clock.hasJumped).toBe(false);
  time.off = 0;
  expect(clock.hasJumped).toBe(true);
  clock.asked();
  expect(clock.hasJumped).toBe(false);
  clock.answered(NOW + time.passed);
  expect([clock.hasJumped, clock.offsetMs]).toEqual([false, 0]);
});

let lab: ReplicaLab;

beforeEach(async () => {
  lab = await ReplicaLab.start();
});

afterEach(async () => {
  await lab.close();
});

test.each([YEAR_MS, -YEAR_MS])(
  "[L10, L110] what a device writes by a clock that is %i ms off has the right time once it was connected",
  async (off) => {
    const disk = new MemoryDisk();
    const platform = { now: () => Date.now() + off };
    const replica = await lab.open({ store: new MemoryReplicaStore(disk), platform });
    await replica.caughtUp();
    await until(() => Math.abs(replica.outline.now() - Date.now()) < 2_500, "the right time");
    const key = add(replica, "written later");
    expect(Math.abs((replica.outline.node(key)?.createdAt ?? 0) - Date.now() / 1000)).toBeLessThan(
      5,
    );
    await replica.saved();
    await replica.close();
    const offline = await lab.open({
      store: new MemoryReplicaStore(disk),
      url: NOWHERE,
      platform,
    });
    expect(Math.abs(offline.outline.now() - Date.now())).toBeLessThan(2_500);
  },
);

test("[L110] other tabs of the store are told", async () => {
  const disk = new MemoryDisk();
  const tabs = new MemoryTabs();
  const platform = { now: () => Date.now() - YEAR_MS };
  const open = () => lab.open({ store: new MemoryReplicaStore(disk), tabs: tabs.open(), platform });
  const replicas = [await open(), await open()];
  await replicas[0]?.caughtUp();
  for (const { outline } of replicas) {
    await until(() => Math.abs(outline.now() - Date.now()) < 2_500, "the right time");
  }
});
