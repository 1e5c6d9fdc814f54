import { expect, test } from "vitest";
import { Membership } from "../../src/store/postgres/membership.ts";
import { storeUnavailable } from "../../src/store/store-failure.ts";

const LEASE_MS = 4000;

/** A process that has just come in, the clocks of its machine, which stand still, and what it waits for. */
async function member(query: () => Promise<never[]> = async () => []) {
  const failures: string[] = [];
  const refusals: string[] = [];
  const clocks = { elapsed: 5_000_000, now: Date.UTC(2026, 10, 28) };
  const alarms: { readonly ms: number; readonly ring: () => void }[] = [];
  const membership = await Membership.open({
    leaseMs: LEASE_MS,
    elapsed: () => clocks.elapsed,
    now: () => clocks.now,
    alarms: {
      setTimeout: (ring, ms) => void alarms.push({ ms, ring }),
      clearTimeout: () => undefined,
    },
    join: async () => {
      const refusal = refusals.shift();
      if (refusal !== undefined) throw storeUnavailable(new Error(refusal));
      return {
        member: { id: 1, epoch: "one", epochOrdinal: 1, name: "test", secret: "" },
        session: {
          ended: new Promise(() => undefined),
          onNotification: () => undefined,
          query,
          close: async () => undefined,
        },
        leaseEnd: { elapsed: clocks.elapsed + LEASE_MS, now: clocks.now + LEASE_MS },
        revocation: 0,
      };
    },
    onFailure: ({ message }) => failures.push(message),
    onRecovery: () => failures.push("none"),
  });
  return { clocks, membership, alarms, failures, refusals };
}

test.each([
  { what: "both clocks have gone on", elapsed: 3900, now: 3900, holds: true },
  { what: "they have gone apart by a little", elapsed: 2000, now: 1950, holds: true },
  { what: "it is over", elapsed: 4001, now: 4001, holds: false },
  { what: "the machine has slept", elapsed: 10, now: 60_000, holds: false },
  { what: "the clock was set forward", elapsed: 10, now: 3_600_000, holds: false },
  { what: "the clock was set back", elapsed: 10, now: -3_600_000, holds: false },
  {
    what: "the machine has slept, and its clock was set back",
    elapsed: 10,
    now: -540_000,
    holds: false,
  },
])("[P92] whether a lease holds when $what: $holds", async ({ elapsed, now, holds }) => {
  const { clocks, membership } = await member();
  expect(membership.holds()).toBe(true);
  clocks.elapsed += elapsed;
  clocks.now += now;
  expect(membership.holds()).toBe(holds);
});

test("[P92] a lease whose heartbeat is not answered ends by itself, when a timer is early too", async () => {
  const { clocks, membership, alarms } = await member(() => new Promise(() => undefined));
  let lapses = 0;
  membership.onLapse(() => lapses++);
  // The heartbeat, then the end of the lease, then that once more.
  for (const earlyMs of [0, 0.4, 0]) {
    const { ms, ring } = alarms.shift() ?? { ms: 0, ring: () => undefined };
    clocks.elapsed += ms - earlyMs;
    clocks.now += ms - earlyMs;
    ring();
  }
  expect(lapses).toBe(1);
});

test("[P92] why a process can't come back is told, once for each reason", async () => {
  const { clocks, membership, alarms, failures, refusals } = await member();
  refusals.push("the password is another one", "the password is another one", "too many clients");
  clocks.elapsed += LEASE_MS + 1;
  expect(membership.holds()).toBe(false);
  // The first heartbeat, then each time that it tries to come back.
  for (let rung = 0; rung < 5; rung += 1) {
    await expect.poll(() => alarms.length).toBeGreaterThan(0);
    alarms.shift()?.ring();
  }
  await expect.poll(() => failures.at(-1)).toBe("none");
  expect(failures).toEqual([
    expect.stringContaining("the database does not answer"),
    expect.stringContaining("the password is another one"),
    expect.stringContaining("too many clients"),
    "none",
  ]);
});
