import { expect, vi } from "vitest";
import { runRow, type SoakRow } from "./soak-row.ts";

/** Many parts of a row start processes, and tests share few cores. */
const TIMEOUT_MS = 900_000;

/** To be called once in a test file of a row. */
export function allowTime(): void {
  vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });
}

/** The short form of a row reaches its goal. */
export async function expectGoal(row: SoakRow, seed = 1): Promise<void> {
  const { failures, done } = await runRow(row, { amount: row.short, seed });
  expect(failures).toEqual([]);
  expect(done).toBeGreaterThanOrEqual(row.short);
}

/** Where processes are killed, what a short form meets depends on the machine too. */
const MOST_TRIES = 3;

/** The row notices that what it runs against is broken: a row that passes here proves nothing. */
export async function expectControlFails(
  row: SoakRow,
  control: string,
  first = row.controlSeeds?.[control] ?? 1,
): Promise<void> {
  for (let tried = 0; tried < MOST_TRIES; tried++) {
    // Where an amount is that of seeds, others than before.
    const seed = first + tried * row.short;
    const { failures } = await runRow(row, { amount: row.short, seed, control });
    if (failures.length > 0) return;
  }
  expect.fail(`${control} was not found out in ${MOST_TRIES} runs`);
}
