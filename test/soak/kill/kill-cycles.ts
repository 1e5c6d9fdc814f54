import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../../../src/core/node-key.ts";
import type { ServerProcess } from "../../e2e/server-process.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import type { SoakResult, SoakTask } from "../soak-row.ts";
import { addUsers, Population } from "./population.ts";

/** More is of no use: what is broken is known by then. */
const MAX_FAILURES = 10;

export interface KillCycles extends SoakTask {
  /** Starts a server on a data folder. */
  readonly start: (data: string, random: Random) => Promise<ServerProcess>;
  /** After so many kills everything begins anew, so that the outlines stay small. */
  readonly killsInAFolder: number;
  /** Waits, while everybody works, until the server is to be killed, or has killed itself. */
  readonly workUp: (server: ServerProcess, random: Random, population: Population) => Promise<void>;
}

/**
 * Kills a server again and again while users work at it, and reads everything back from the next one
 * on the same folder.
 */
export async function killCycles(cycles: KillCycles): Promise<SoakResult> {
  const { start, workUp, killsInAFolder, amount, seed, goesOn } = cycles;
  const random = seededRandom(seed);
  const failures: string[] = [];
  const totals = { acknowledged: 0, open: 0, landed: 0, hits: 0, starts: 0, startMs: 0 };
  let done = 0;
  while (done < amount && failures.length < MAX_FAILURES && goesOn(done)) {
    const path = await mkdtemp(join(tmpdir(), "outline-kill-"));
    const data = join(path, "data");
    let server: ServerProcess | undefined;
    try {
      const keys = await addUsers(data);
      let population: Population | undefined;
      for (let count = 0; count <= killsInAFolder; count++) {
        const startedAt = performance.now();
        server = await start(data, random);
        totals.starts++;
        totals.startMs += performance.now() - startedAt;
        if (population === undefined) {
          population = await Population.settle(server.url, keys, random);
        } else {
          const found = await population.check(server.url);
          failures.push(
            ...found.failures.map((failure) => `kill ${done}, seed ${seed}: ${failure}`),
          );
          totals.open += found.open;
          totals.landed += found.landed;
          if (found.open > 0) totals.hits++;
          if (found.failures.length > 0) break;
        }
        const isEnough = done >= amount || failures.length >= MAX_FAILURES || !goesOn(done);
        if (isEnough || count === killsInAFolder) break;
        const working = population.workUntilEnd(server);
        await workUp(server, random, population);
        await server.stop("SIGKILL");
        done++;
        failures.push(...(await working));
      }
      totals.acknowledged += population?.acknowledged ?? 0;
    } finally {
      await server?.stop("SIGKILL");
      await rm(path, { recursive: true, force: true });
    }
  }
  if (failures.length === 0 && totals.hits < done / 2) {
    failures.push(`only ${totals.hits} of ${done} kills met work under way`);
  }
  return {
    done,
    failures,
    figures: {
      "kills that met unacknowledged edits": totals.hits,
      "acknowledged edits": totals.acknowledged,
      "edits under way at a kill": totals.open,
      "edits under way that were kept": totals.landed,
      "mean ms of a start": Math.round(totals.startMs / Math.max(1, totals.starts)),
    },
  };
}
