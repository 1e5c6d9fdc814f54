import { expect, test } from "vitest";
import { Membership } from "../../src/store/postgres/membership.ts";

const LEASE_MS = 4000;

/** A process that has just come in, and the clocks of its machine, which stand still. */
async function member() {
  const clocks = { elapsed: 5_000_000, now: Date.UTC(2026, 10, 28) };
  const membership = await Membership.open({
    leaseMs: LEASE_MS,
    elapsed: () => clocks.elapsed,
    now: () => clocks.now,
    alarms: { setTimeout: () => undefined, clearTimeout: () => undefined },
    join: async () => ({
      member: { id: 1, epoch: "one", epochOrdinal: 1, name: "test", secret: "" },
      session: {
        ended: new Promise(() => undefined),
        onNotification: () => undefined,
        query: async () => [],
        close: async () => undefined,
      },
      leaseEnd: { elapsed: clocks.elapsed + LEASE_MS, now: clocks.now + LEASE_MS },
      revocation: 0,
    }),
    onFailure: () => undefined,
    onRecovery: () => undefined,
  });
  return { clocks, membership };
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
