import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { failingStoreRow } from "./failing-store-row.ts";

allowTime();

test("[G7] a store that fails for a while is told of, and nothing is lost", () =>
  expectGoal(failingStoreRow));

test.each(Object.keys(failingStoreRow.controls))("[G7] %s is found out", (control) =>
  expectControlFails(failingStoreRow, control),
);
