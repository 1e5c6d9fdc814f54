import { expect, vi } from "vitest";
import { isFoundOut, runRow, type SoakRow } from "./soak-row.ts";

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

/** A short form of the row notices that what it runs against is broken. */
export async function expectControlFails(row: SoakRow, control: string): Promise<void> {
  expect(await isFoundOut(row, control), `${control} is found out`).toBe(true);
}
