import { expect, test } from "vitest";
import { Deferred } from "../../src/documents/turns/deferred.ts";
import { payingUser } from "../../src/charges/payer.ts";
import { type LongTurn, Watchdog } from "../../src/charges/watchdog.ts";

const ANNA = payingUser("anna");
const BERT = payingUser("bert");
const MINUTE_MS = 60_000;

/** A watchdog over clocks that work moves on. */
function kennel() {
  const clocks = { elapsed: 1_000, busy: 0, collecting: 0, looks: 0 };
  const long: LongTurn[] = [];
  const pauses: number[] = [];
  let told = Promise.resolve();
  const watchdog = new Watchdog({
    elapsed: () => clocks.elapsed,
    busy: () => {
      clocks.looks++;
      return clocks.busy;
    },
    collecting: () => clocks.collecting,
    settle: () => told,
    onLong: (turn) => long.push(turn),
    onPause: (tookMs) => pauses.push(tookMs),
  });
  /** Works for so long, and has the processor for some of that. */
  const spend = (ms: number, busyMs = ms): void => {
    clocks.elapsed += ms;
    clocks.busy += busyMs;
  };
  const run = (ms: number, busyMs = ms, kind = "update"): void =>
    watchdog.run(
      ANNA,
      kind,
      () => 4_096,
      () => spend(ms, busyMs),
    );
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return {
    clocks,
    long,
    pauses,
    watchdog,
    spend,
    run,
    settled,
    tell: (when: Promise<void>): void => {
      told = when;
    },
  };
}

test("[Q41] a turn over a second is told with whose it was, what and how large", async () => {
  const { long, run, settled } = kennel();
  run(1_000);
  run(1_500);
  await settled();
  expect(long).toEqual([{ payer: ANNA, kind: "update", size: 4_096, tookMs: 1_500 }]);
});

test("[Q41] the payer's next work of the kind is refused for a minute, and nobody else's", async () => {
  const { clocks, watchdog, run, settled } = kennel();
  run(2_000);
  expect(watchdog.refusedMs(ANNA, "update")).toBe(MINUTE_MS);
  await settled();
  expect(watchdog.refusedMs(ANNA, "update")).toBe(MINUTE_MS);
  expect([watchdog.refusedMs(ANNA, "load"), watchdog.refusedMs(BERT, "update")]).toEqual([0, 0]);
  clocks.elapsed += MINUTE_MS - 1;
  expect(watchdog.refusedMs(ANNA, "update")).toBe(1);
  clocks.elapsed += 1;
  expect(watchdog.refusedMs(ANNA, "update")).toBe(0);
});

test("[Q41] nobody is blamed while the machine stood still", async () => {
  const { long, pauses, watchdog, run, settled } = kennel();
  run(5_000, 20);
  expect(watchdog.refusedMs(ANNA, "update")).toBe(0);
  await settled();
  expect([long, pauses]).toEqual([[], [5_000]]);
});

test("[Q41] nor for collecting garbage, which is known a turn later", async () => {
  const { clocks, long, pauses, watchdog, run, settled, tell } = kennel();
  const collected = new Deferred<void>();
  tell(collected.promise);
  run(1_800);
  expect(watchdog.refusedMs(ANNA, "update")).toBeGreaterThan(0);
  clocks.collecting += 1_000;
  collected.resolve(undefined);
  await settled();
  expect([long, pauses]).toEqual([[], [1_800]]);
  expect(watchdog.refusedMs(ANNA, "update")).toBe(0);
});

test("[Q41] what was done before by others does not count as the payer's processor time", async () => {
  const { long, pauses, spend, run, settled } = kennel();
  run(1);
  spend(10_000);
  run(2_000, 100);
  await settled();
  expect([long, pauses]).toEqual([[], [2_000]]);
});

test("[Q41] work within other work is told once, as what it is", async () => {
  const { long, watchdog, spend, settled } = kennel();
  const nothing = (): number => 0;
  watchdog.run(ANNA, "outer", nothing, () => {
    spend(400);
    watchdog.run(BERT, "inner", nothing, () => spend(3_000));
  });
  await settled();
  expect(long.map(({ payer, kind, tookMs }) => [payer, kind, tookMs])).toEqual([
    [BERT, "inner", 3_000],
  ]);
  expect(watchdog.refusedMs(ANNA, "outer")).toBe(0);
});

test("[Q41] what throws is seen too, and its error is its caller's", async () => {
  const { long, watchdog, spend, settled } = kennel();
  const failing = (): void =>
    watchdog.run(
      ANNA,
      "update",
      () => 0,
      () => {
        spend(1_500);
        throw new TypeError("a defect");
      },
    );
  expect(failing).toThrow(TypeError);
  await settled();
  expect(long).toHaveLength(1);
});

test("[Q41] short work asks for the processor time ten times a second at most", () => {
  const { clocks, run } = kennel();
  for (let count = 0; count < 2_000; count++) run(1);
  expect(clocks.looks).toBeLessThanOrEqual(21);
});
