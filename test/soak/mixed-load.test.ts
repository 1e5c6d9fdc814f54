import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { mixedLoadRow } from "./mixed-load-row.ts";

allowTime();

test("[G31] people who work over REST and websockets don't notice attack after attack", () =>
  expectGoal(mixedLoadRow));

test.each(Object.keys(mixedLoadRow.controls))("[G31] a server without %s is found out", (control) =>
  expectControlFails(mixedLoadRow, control),
);
