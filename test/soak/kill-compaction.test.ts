import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { killCompactionRow } from "./kill-compaction-row.ts";

allowTime();

test("[G3] nothing acknowledged is lost when the server is killed during a compaction", () =>
  expectGoal(killCompactionRow));

test.each(Object.keys(killCompactionRow.controls))(
  "[G3] a server that %s is found out",
  (control) => expectControlFails(killCompactionRow, control),
);
