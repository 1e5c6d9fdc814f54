import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { killAtStartRow } from "./kill-at-start-row.ts";

allowTime();

test("[G4] nothing is lost when a server is killed while it starts, and a printed key is one", () =>
  expectGoal(killAtStartRow));

test.each(Object.keys(killAtStartRow.controls))("[G4] a server that %s is found out", (control) =>
  expectControlFails(killAtStartRow, control),
);
