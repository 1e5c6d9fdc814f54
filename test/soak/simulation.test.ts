import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { simulationRow } from "./simulation-row.ts";

allowTime();

test("[G20] whatever breaks, all come to the same and nothing promised is lost", () =>
  expectGoal(simulationRow));

test.each(Object.keys(simulationRow.controls))("[G20] %s is found out", (control) =>
  expectControlFails(simulationRow, control),
);
