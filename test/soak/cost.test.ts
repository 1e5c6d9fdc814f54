import { test } from "vitest";
import { costRow } from "./cost-row.ts";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";

allowTime();

test("[G50] nothing that a client can send costs more time or memory than is charged for its bytes", () =>
  expectGoal(costRow));

/** The other one takes twice as long, and is part of `npm run soak`. */
test("[G50] seeds of stubs are found out", () => expectControlFails(costRow, "seeds of stubs"));
