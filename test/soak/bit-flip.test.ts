import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { bitFlipRow } from "./bit-flip-row.ts";

allowTime();

test("[G6] whatever bit of a store flips, nothing is served wrong, and what is lost is told", () =>
  expectGoal(bitFlipRow));

test.each(Object.keys(bitFlipRow.controls))("[G6] a store with %s is found out", (control) =>
  expectControlFails(bitFlipRow, control),
);
