import { test } from "vitest";
import { diskFullRow } from "./disk-full-row.ts";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";

allowTime();

test("[G8] a disk that is full for a while is told of, and nothing is lost", () =>
  expectGoal(diskFullRow));

test.each(Object.keys(diskFullRow.controls))("[G8] %s is found out", (control) =>
  expectControlFails(diskFullRow, control),
);
