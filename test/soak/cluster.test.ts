import { test } from "vitest";
import { clusterRow } from "./cluster-row.ts";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";

allowTime();

test("[P103, P106] several processes lose nothing, whatever becomes of them and their database", () =>
  expectGoal(clusterRow));

test.each(Object.keys(clusterRow.controls))("[P100, P106] %s is found out", (control) =>
  expectControlFails(clusterRow, control),
);
