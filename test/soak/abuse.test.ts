import { test } from "vitest";
import { ABUSE_ROWS } from "./abuse-row.ts";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";

allowTime();

/**
 * Those that did the most harm once, but for those of `mixed-load.test.ts`. The others, and the other controls,
 * are part of `npm run soak`.
 */
const TRIED = [
  "open-formats",
  "long-entities",
  "greetings",
  "growing-outline",
  "opening-too-large",
  "unfinished-messages",
  "shortcuts",
  "mirrors",
  "hostile-receivers",
];
const ROWS = ABUSE_ROWS.filter(({ name }) => TRIED.includes(name.replace("abuse/", "")));

const CONTROLLED = ["long-entities", "greetings", "shortcuts", "hostile-receivers"];
const CONTROLS = ROWS.filter(({ name }) => CONTROLLED.includes(name.replace("abuse/", ""))).flatMap(
  (row) => Object.keys(row.controls).map((control) => ({ row, name: row.name, control })),
);

test.each(ROWS)("[G30] $name leaves the others alone", (row) => expectGoal(row));

test.each(CONTROLS)("[G30] $name without $control is found out", ({ row, control }) =>
  expectControlFails(row, control),
);
