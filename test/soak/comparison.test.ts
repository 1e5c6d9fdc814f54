import { test } from "vitest";
import { comparisonRow } from "./comparison-row.ts";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";

allowTime();

test("[G10] the API and the replicas of websockets show the same", () => expectGoal(comparisonRow));

test.each(Object.keys(comparisonRow.controls))("[G10] %s is found out", (control) =>
  expectControlFails(comparisonRow, control),
);
