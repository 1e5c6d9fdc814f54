import { test } from "vitest";
import { clusterVolumeRow } from "./cluster-volume-row.ts";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";

allowTime();

test("[P6] in a database no more is stored than the log keeps behind a snapshot", () =>
  expectGoal(clusterVolumeRow));

test.each(Object.keys(clusterVolumeRow.controls))("[P6] a log that %s is found out", (control) =>
  expectControlFails(clusterVolumeRow, control),
);
