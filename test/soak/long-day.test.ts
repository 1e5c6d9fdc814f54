import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { longDayRow } from "./long-day-row.ts";

allowTime();

test("[G12] nothing is kept of users who have gone", () => expectGoal(longDayRow));

test.each(Object.keys(longDayRow.controls))("[G12] %s is found out", (control) =>
  expectControlFails(longDayRow, control),
);
