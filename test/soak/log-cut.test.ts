import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { logCutRow } from "./log-cut-row.ts";

allowTime();

test("[G5] wherever its log is cut off, nothing is lost after a crash, and after a close what is lost is told", () =>
  expectGoal(logCutRow));

test.each(Object.keys(logCutRow.controls))("[G5] a reader that %s is found out", (control) =>
  expectControlFails(logCutRow, control),
);
