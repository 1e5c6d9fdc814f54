import { expect, test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { simulationRow } from "./simulation-row.ts";
import { runRow } from "./soak-row.ts";

allowTime();

test("[G20] whatever breaks, all come to the same and nothing promised is lost", () =>
  expectGoal(simulationRow));

/** In which a defect was found: "saved" said for a moment; ids written under twice, by a copy and by a tab. */
test.each([408, 5039, 5059])("[G20] seed %i, which found a defect, holds", async (seed) => {
  const { failures } = await runRow(simulationRow, { amount: 1, seed });
  expect(failures).toEqual([]);
});

test.each(Object.keys(simulationRow.controls))("[G20] %s is found out", (control) =>
  expectControlFails(simulationRow, control),
);
