import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { killRow } from "./kill-row.ts";

allowTime();

test("[G2] nothing acknowledged is lost when the server is killed under load", () =>
  expectGoal(killRow));

test.each(Object.keys(killRow.controls))("[G2] a server that %s is found out", (control) =>
  expectControlFails(killRow, control),
);
