import { test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { slowReaderRow } from "./slow-reader-row.ts";

allowTime();

test("[G9] readers that stop reading cost their queues, and come back", () =>
  expectGoal(slowReaderRow));

test.each(Object.keys(slowReaderRow.controls))("[G9] %s is found out", (control) =>
  expectControlFails(slowReaderRow, control),
);
