import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { hostileMessagesRow } from "./hostile-messages-row.ts";

allowTime();

test("[G14] hostile messages harm nobody, and nothing is acknowledged that is not there", () =>
  expectGoal(hostileMessagesRow));

test.each(Object.keys(hostileMessagesRow.controls))("[G14] %s is found out", (control) =>
  expectControlFails(hostileMessagesRow, control),
);
