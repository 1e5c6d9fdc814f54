import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../../../src/core/node-key.ts";
import type { ServerProcess } from "../../e2e/server-process.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import type { SoakResult, SoakTask } from "../soak-row.ts";
import { addUsers, Population } from "./population.ts";

/** After so many kills everything begins anew, so that the outlines stay small. */
const KILLS_IN_A_FOLDER = 25;
/** More is of no use: what is broken is known by then. */
const MAX_FAILURES = 10;

export interface KillCycles extends SoakTask {
  /** Starts a server on a data folder. */
  readonly start: (data: string, random: Random) => Promise<ServerProcess>;
  /** Ends the server, or sees it end, while everybody works. */
  readonly end: (server: ServerProcess, random: Random, population: Population) => Promise<void>;
}

/**
 * Kills a server again and again while users work at it, and reads everything back from the next one
 * on the same folder.
 */
export async function killCycles({
  start,
  end,
  amount,
  seed,
  goesOn,
}: KillCycles): Promise<SoakResult> {
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
      for (let count = 0; count <= KILLS_IN_A_FOLDER; count++) {
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
        if (isEnough || count === KILLS_IN_A_FOLDER) break;
        const working = population.workUntilEnd(server);
        await end(server, random, population);
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
