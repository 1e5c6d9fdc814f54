import { test } from "vitest";
import { connectionsRow } from "./connections-row.ts";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";

allowTime();

test("[G11] many connect at once, and again after a crash", () => expectGoal(connectionsRow));

test.each(Object.keys(connectionsRow.controls))("[G11] %s is found out", (control) =>
  expectControlFails(connectionsRow, control),
);
