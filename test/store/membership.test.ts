import { expect, test } from "vitest";
import { Membership } from "../../src/store/postgres/membership.ts";

const LEASE_MS = 4000;

/** A process that has just come in, the clocks of its machine, which stand still, and what it waits for. */
async function member(query: () => Promise<never[]> = async () => []) {
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
    join: async () => ({
      member: { id: 1, epoch: "one", epochOrdinal: 1, name: "test", secret: "" },
      session: {
        ended: new Promise(() => undefined),
        onNotification: () => undefined,
        query,
        close: async () => undefined,
      },
      leaseEnd: { elapsed: clocks.elapsed + LEASE_MS, now: clocks.now + LEASE_MS },
      revocation: 0,
    }),
    onFailure: () => undefined,
    onRecovery: () => undefined,
  });
  return { clocks, membership, alarms };
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
