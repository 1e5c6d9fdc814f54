import { test } from "vitest";
import { convergenceRow } from "./convergence-row.ts";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";

allowTime();

test("[G1] replicas that met in any order show the same", () => expectGoal(convergenceRow));

test.each(Object.keys(convergenceRow.controls))("[G1] %s is found out", (control) =>
  expectControlFails(convergenceRow, control),
);
