import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { returnRow } from "./return-row.ts";

allowTime();

test("[G2, S110] devices that come back after a kill open no outline, and lose no edit", () =>
  expectGoal(returnRow));

test.each(Object.keys(returnRow.controls))("[S110] a server that %s is found out", (control) =>
  expectControlFails(returnRow, control),
);
