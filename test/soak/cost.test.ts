import { test } from "vitest";
import { costRow } from "./cost-row.ts";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";

allowTime();

test("[G50] nothing that a client can send costs more time or memory than is charged for its bytes", () =>
  expectGoal(costRow));

test.each(Object.keys(costRow.controls))("[G50] %s is found out", (control) =>
  expectControlFails(costRow, control),
);
