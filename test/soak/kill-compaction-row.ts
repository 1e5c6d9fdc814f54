import { integerBelow } from "../support/seeded-random.ts";
import type { Random } from "../../src/core/node-key.ts";
import { startComposedServer } from "./kill/composition.ts";
import type { Death } from "./kill/dying-in-compaction.ts";
import { killCycles } from "./kill/kill-cycles.ts";
import type { SoakRow } from "./soak-row.ts";

/** Those of the first two snapshots: marks, parts, header, and the removal of what they replace. */
const WRITES = 14;
const LONGEST_WRITE_MS = 1.5;

/** A server with real parts and small limits that dies in the middle of saving a snapshot. */
export const killCompactionRow: SoakRow = {
  name: "kill-compaction",
  fault: "kill -9 of the server during a compaction, under load",
  goal: "0 acknowledged writes lost, 0 outlines that don't load",
  unit: "kills",
  full: 200,
  short: 4,
  budgetMs: 60 * 60_000,
  controls: { "trims-before-saving": "updates are removed before the snapshot that holds them" },
  run(task) {
    const isBroken = task.control !== undefined;
    return killCycles({
      ...task,
      start: (data, random) =>
        startComposedServer(data, {
          compactsOften: true,
          death: randomDeath(random),
          ...(isBroken && { broken: "trims-before-saving" }),
        }),
      // Snapshots come at ever larger distances.
      killsInAFolder: 8,
      async workUp(server) {
        server.send("SIGUSR2");
        await server.ended;
      },
    });
  },
};

function randomDeath(random: Random): Death {
  const write = 1 + integerBelow(random, WRITES);
  const draw = random();
  if (draw < 0.2) return { write, moment: "before" };
  if (draw < 0.4) return { write, moment: "after" };
  return { write, moment: random() * LONGEST_WRITE_MS };
}
