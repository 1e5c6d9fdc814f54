import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerProcess } from "../e2e/server-process.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import { until } from "../support/socket-until.ts";
import { startBuiltServer, startComposedServer } from "./kill/composition.ts";
import { addUsers, Population } from "./kill/population.ts";
import { LoopDisk, obstacleToLoopDisks } from "./power-cut/loop-disk.ts";
import { isEnoughOf, type SoakRow } from "./soak-row.ts";

const MOST_ACKNOWLEDGED = 60;

/**
 * A server on a disk of its own, which is copied without what the system has not yet written to it.
 * The server is stopped for the time of the copy, so that it is of one moment, and goes on then; the
 * copy is read back by another one.
 */
export const powerCutRow: SoakRow = {
  name: "power-cut",
  fault: "the power is cut under load: what the disk was not made to keep is gone",
  goal: "0 acknowledged writes lost, 0 outlines that don't load",
  unit: "cuts",
  full: 100,
  short: 3,
  budgetMs: 40 * 60_000,
  controls: { "never-syncs": "writes are acknowledged when the system has them in its memory" },
  obstacle: obstacleToLoopDisks,
  async run({ amount, seed, control, goesOn }) {
    const random = seededRandom(seed);
    const path = await mkdtemp(join(tmpdir(), "outline-power-"));
    const failures: string[] = [];
    let done = 0;
    let open = 0;
    let acknowledged = 0;
    const disk = await LoopDisk.make(join(path, "living"));
    let server: ServerProcess | undefined;
    try {
      const data = join(disk.mountPoint, "data");
      const keys = await addUsers(data);
      server = await (control === undefined
        ? startBuiltServer(data)
        : startComposedServer(data, { broken: "never-syncs" }));
      const population = await Population.settle(server.url, keys, random);
      const working = population.workUntilEnd(server);
      while (done < amount && !isEnoughOf(failures, control) && goesOn(done)) {
        const enough = population.acknowledged + 1 + integerBelow(random, MOST_ACKNOWLEDGED);
        await until(() => population.acknowledged >= enough, "acknowledgements");
        const told = population.ledgers.map((ledger) => ledger.span.from);
        server.send("SIGSTOP");
        await until(() => isStopped(server), "a stop");
        const copy = await disk.afterPowerCut(join(path, "cut"));
        const spans = population.ledgers.map(({ span: { to } }, index) => {
          return { from: told[index] ?? 0, to };
        });
        server.send("SIGCONT");
        try {
          const found = await readCopy(copy, population, spans);
          failures.push(...found.map((failure) => `seed ${seed}, cut ${done}: ${failure}`));
        } finally {
          await copy.remove();
          await rm(join(path, "cut"), { recursive: true });
        }
        open += spans.reduce((sum, { from, to }) => sum + to - from, 0);
        for (const ledger of population.ledgers) ledger.trim();
        done++;
      }
      await server.stop("SIGKILL");
      failures.push(...(await working));
      acknowledged = population.acknowledged;
    } finally {
      await server?.stop("SIGKILL");
      await disk.remove();
      await rm(path, { recursive: true });
    }
    if (failures.length === 0 && open === 0) failures.push("no cut met work under way");
    const figures = { "acknowledged edits": acknowledged, "edits under way at a cut": open };
    return { done, failures, figures };
  },
};

type Spans = Parameters<Population["compare"]>[1];

async function readCopy(
  copy: LoopDisk,
  population: Population,
  spans: Spans,
): Promise<readonly string[]> {
  const starting = startBuiltServer(join(copy.mountPoint, "data"));
  const server = await starting.catch((error: unknown) => String(error));
  if (typeof server === "string") return [server];
  try {
    return await population.compare(server.url, spans);
  } finally {
    await server.stop("SIGKILL");
  }
}

async function isStopped(server: ServerProcess | undefined): Promise<boolean> {
  const status = await readFile(`/proc/${server?.pid}/stat`, "utf8");
  return status.slice(status.lastIndexOf(")")).startsWith(") T");
}
