import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { slowLineRow } from "./slow-line-row.ts";

allowTime();

test("[S48, S49] a device on a slow line that breaks gets everything, once", () =>
  expectGoal(slowLineRow));

test.each(Object.keys(slowLineRow.controls))("[S49] %s is found out", (control) =>
  expectControlFails(slowLineRow, control),
);
