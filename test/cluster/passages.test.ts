import { expect, test } from "vitest";
import type { Owner } from "../../src/accounts/passing.ts";
import { Passages, type PassagesOptions } from "../../src/cluster/passages.ts";

const OWNERS: readonly Owner[] = [1, 2].map((process) => ({ process, address: `host:${process}` }));
const PATIENCE = { timeout: 60_000 };

/** Something under way by way of each process. */
function underWay(options: Partial<PassagesOptions>) {
  const ended: number[] = [];
  const cutOff: number[] = [];
  const passages = new Passages({
    livingOf: async (processes) => new Set(processes),
    reaches: async () => true,
    onCutOff: ({ process }) => cutOff.push(process),
    ...options,
  });
  for (const owner of OWNERS) {
    const forget = passages.add({
      owner,
      prospect: "repeatable",
      end: () => {
        ended.push(owner.process);
        forget();
      },
    });
  }
  return { passages, ended, cutOff };
}

test("[P107] what waits for a process that can't be reached is ended, whatever the database sees", async () => {
  const { passages, ended, cutOff } = underWay({ reaches: async ({ process }) => process !== 1 });
  await expect.poll(() => ended, PATIENCE).toEqual([1]);
  expect(cutOff).toEqual([1]);
  passages.close();
});

test("[P103] what waits for a process that is gone is ended, also while it is being asked", async () => {
  const { passages, ended } = underWay({
    livingOf: async () => new Set([2]),
    reaches: () => new Promise(() => undefined),
  });
  await expect.poll(() => ended, PATIENCE).toEqual([1]);
  passages.close();
});
