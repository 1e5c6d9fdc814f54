import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newOutlineId } from "../../src/core/node-key.ts";
import { LevelStore } from "../../src/store/level/level-store.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { PATIENT, PostgresServer } from "../support/postgres/postgres-server.ts";
import { BarePostgresCommit } from "./bare-postgres-commit.ts";
import { cpuMs } from "./cpu-time.ts";

/** Of rounds that alternate: the store in PostgreSQL, the one in LevelDB, and `pg` with as much gathering. */
export interface ClusterAppends {
  /** How many append at once, each waiting for its answer before the next. */
  readonly appenders: number;
  readonly perSecond: Rounds;
  /** Of this process alone: the database's own is not in it. */
  readonly cpuUs: Rounds;
  /** Half of the appends take no longer. */
  readonly p50Ms: Rounds;
}

interface Rounds {
  readonly postgres: readonly number[];
  readonly level: readonly number[];
  readonly bare: readonly number[];
}

interface Rate {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly p50Ms: number;
}

type Append = (appender: number) => Promise<unknown>;

const ROUNDS = 5;
const UPDATE = randomBytes(60);

async function rateOf(append: Append, appenders: number): Promise<Rate> {
  const each = Math.ceil(10_000 / (appenders + 20));
  const times: number[] = [];
  const cpuAt = cpuMs();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: appenders }, async (_, appender) => {
      for (let index = 0; index < each; index += 1) {
        const askedAt = performance.now();
        await append(appender);
        times.push(performance.now() - askedAt);
      }
    }),
  );
  const count = appenders * each;
  times.sort((one, other) => one - other);
  return {
    perSecond: (count * 1000) / (performance.now() - startedAt),
    cpuUs: ((cpuMs() - cpuAt) * 1000) / count,
    p50Ms: times[Math.floor(count / 2)] ?? Number.NaN,
  };
}

/** Durable appends on each of the stores. */
export async function benchClusterAppends(): Promise<readonly ClusterAppends[]> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  const server = await PostgresServer.start();
  try {
    const common = { now: Date.now, randomBytes };
    const url = server.urlOf("postgres");
    const options = { ...common, address: "127.0.0.1:1", limits: PATIENT };
    const postgres = await PostgresStore.open(url, options);
    const level = await LevelStore.open(join(folder, "level"), common);
    const bare = await BarePostgresCommit.open(url);
    const figures: ClusterAppends[] = [];
    for (const appenders of [1, 64, 1000]) {
      const outlines = Array.from({ length: appenders }, () => newOutlineId(Math.random));
      const updates = [UPDATE];
      const outlineOf = (appender: number) => outlines[appender] ?? newOutlineId(Math.random);
      const appends = {
        postgres: (appender: number) => postgres.log.append(outlineOf(appender), { updates }),
        level: (appender: number) => level.log.append(outlineOf(appender), { updates }),
        bare: () => bare.append(UPDATE),
      };
      const rounds: { postgres: Rate; level: Rate; bare: Rate }[] = [];
      for (let round = -1; round < ROUNDS; round += 1) {
        const rates = {
          postgres: await rateOf(appends.postgres, appenders),
          level: await rateOf(appends.level, appenders),
          bare: await rateOf(appends.bare, appenders),
        };
        // The first round is for the compiler.
        if (round >= 0) rounds.push(rates);
      }
      const all = (figure: keyof Rate): Rounds => ({
        postgres: rounds.map((each) => each.postgres[figure]),
        level: rounds.map((each) => each.level[figure]),
        bare: rounds.map((each) => each.bare[figure]),
      });
      figures.push({
        appenders,
        perSecond: all("perSecond"),
        cpuUs: all("cpuUs"),
        p50Ms: all("p50Ms"),
      });
    }
    await postgres.close();
    await level.close();
    await bare.close();
    return figures;
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}
