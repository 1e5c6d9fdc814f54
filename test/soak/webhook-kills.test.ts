import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { webhookKillsRow } from "./webhook-kills-row.ts";

allowTime();

test("[G8, U113, U116] who is told by a webhook is told of all that was answered, in order, however often the server is killed", () =>
  expectGoal(webhookKillsRow));

test.each(Object.keys(webhookKillsRow.controls))("[G8] a server that %s is found out", (control) =>
  expectControlFails(webhookKillsRow, control),
);
