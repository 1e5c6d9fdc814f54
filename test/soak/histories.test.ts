import { test } from "vitest";
import { allowTime, expectControlFails } from "./expect-row.ts";
import { historiesRow } from "./histories-row.ts";

allowTime();

// That they come out as they should is in test/property/traces.test.ts.
test("[D54] names that are written whole make other merges", () =>
  expectControlFails(historiesRow, "names-are-replaced"));
