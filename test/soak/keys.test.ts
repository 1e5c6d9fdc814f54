import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { keysRow } from "./keys-row.ts";

allowTime();

test("[G16, J29] keys open what is theirs and nothing else, and what they had open ends with them", () =>
  expectGoal(keysRow));

test.each(Object.keys(keysRow.controls))("[G16] %s is found out", (control) =>
  expectControlFails(keysRow, control),
);
