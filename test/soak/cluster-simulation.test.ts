import { test } from "vitest";
import { clusterSimulationRow } from "./cluster-simulation-row.ts";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";

allowTime();

test("[P99, P103, P106] processes on a database lose nothing and answer nothing old, whatever breaks between them", () =>
  expectGoal(clusterSimulationRow));

test.each(Object.keys(clusterSimulationRow.controls))("[P103] %s is found out", (control) =>
  expectControlFails(clusterSimulationRow, control),
);
