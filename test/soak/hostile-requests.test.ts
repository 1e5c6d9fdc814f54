import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { hostileRequestsRow } from "./hostile-requests-row.ts";

allowTime();

test("[G15] hostile requests are refused as documented, and change and tell nothing", () =>
  expectGoal(hostileRequestsRow));

test.each(Object.keys(hostileRequestsRow.controls))("[G15] %s is found out", (control) =>
  expectControlFails(hostileRequestsRow, control),
);
