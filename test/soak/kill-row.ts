import { setTimeout as delay } from "node:timers/promises";
import { integerBelow } from "../support/seeded-random.ts";
import { until } from "../support/socket-until.ts";
import { startBuiltServer, startComposedServer } from "./kill/composition.ts";
import { killCycles } from "./kill/kill-cycles.ts";
import type { SoakRow } from "./soak-row.ts";

/** After how many acknowledgements the kill comes, at most, and how long after the last of them. */
const MOST_ACKNOWLEDGED = 60;
const LONGEST_PAUSE_MS = 4;

/** The built server, killed at random moments while users work at it. */
export const killRow: SoakRow = {
  name: "kill",
  fault: "kill -9 of the server under REST and websocket load",
  goal: "0 acknowledged writes lost, 0 outlines that don't load",
  unit: "kills",
  full: 1_000,
  short: 4,
  budgetMs: 90 * 60_000,
  controls: { "acknowledges-early": "writes are acknowledged before they are on the disk" },
  run(task) {
    const isBroken = task.control !== undefined;
    return killCycles({
      ...task,
      start: (data) =>
        isBroken
          ? startComposedServer(data, { broken: "acknowledges-early" })
          : startBuiltServer(data),
      killsInAFolder: 25,
      async workUp(_server, random, population) {
        const enough = population.acknowledged + 1 + integerBelow(random, MOST_ACKNOWLEDGED);
        await until(() => population.acknowledged >= enough, "acknowledgements");
        await delay(random() * LONGEST_PAUSE_MS);
      },
    });
  },
};
