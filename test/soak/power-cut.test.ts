import { describe, test } from "vitest";
import { allowTime, expectControlFails, expectGoal } from "./expect-row.ts";
import { powerCutRow } from "./power-cut-row.ts";
import { obstacleToLoopDisks } from "./power-cut/loop-disk.ts";

allowTime();

const obstacle = obstacleToLoopDisks();

describe.skipIf(obstacle !== undefined)(
  `a power cut${obstacle ? `, NOT RUN: ${obstacle}` : ""}`,
  () => {
    test("[G23] takes nothing that was acknowledged", () => expectGoal(powerCutRow));

    test.each(Object.keys(powerCutRow.controls))(
      "[G23] takes it from a server that %s, which is found out",
      (control) => expectControlFails(powerCutRow, control),
    );
  },
);
