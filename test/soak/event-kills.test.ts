import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { eventKillsRow } from "./event-kills-row.ts";

allowTime();

test("[G10, U84, U89] who follows a server that is killed again and again is told of all that it has answered, in order", () =>
  expectGoal(eventKillsRow));

test.each(Object.keys(eventKillsRow.controls))(
  "[G10] a server whose stream %s is found out",
  (control) => expectControlFails(eventKillsRow, control),
);
