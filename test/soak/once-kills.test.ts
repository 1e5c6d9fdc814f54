import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { onceKillsRow } from "./once-kills-row.ts";

allowTime();

test("[G13, U60] what is sent again with the same key is done once, however often the server is killed before it answers", () =>
  expectGoal(onceKillsRow));

test.each(Object.keys(onceKillsRow.controls))("[G13] a server that %s is found out", (control) =>
  expectControlFails(onceKillsRow, control),
);
