import { expect, test, vi } from "vitest";
import { isFoundOut, runRow, type SoakRow } from "./soak-row.ts";

/** Many parts of a row start processes, and tests share few cores. */
const TIMEOUT_MS = 900_000;

/** To be called once in a test file of a row. */
export function allowTime(): void {
  vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });
}

/** The short form of a row reaches its goal, and notices what is broken on purpose. */
export function testRow(row: SoakRow, title: string): void {
  const obstacle = row.obstacle?.();
  if (obstacle !== undefined) return test.skip(`${title}, NOT RUN: ${obstacle}`);
  test(title, () => expectGoal(row));
  const [rules = ""] = /^\[[^\]]+\]/.exec(title) ?? [];
  test.each(Object.keys(row.controls))(`${rules} ${row.name}: %s is found out`, (control) =>
    expectControlFails(row, control),
  );
}

/** The short form of a row reaches its goal. */
export async function expectGoal(row: SoakRow): Promise<void> {
  const { failures, done } = await runRow(row, { amount: row.short, seed: 1 });
  expect(failures).toEqual([]);
  expect(done).toBeGreaterThanOrEqual(row.short);
}

/** A short form of the row notices that what it runs against is broken. */
export async function expectControlFails(row: SoakRow, control: string): Promise<void> {
  expect(await isFoundOut(row, control), `${control} is found out`).toBe(true);
}
