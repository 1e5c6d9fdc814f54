import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { newOutlineId } from "../../src/core/node-key.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { DEFAULT_TAIL, type TailLimits } from "../../src/store/tail-limits.ts";
import { PATIENT, PostgresServer } from "../support/postgres/postgres-server.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { isEnoughOf, type SoakRow } from "./soak-row.ts";

const UPDATES_PER_SECOND = 5000;
const TICKS_PER_SECOND = 20;
const UPDATE_BYTES = 40;
const UPDATES_PER_SNAPSHOT = 500;
const CHUNK = randomBytes(32 * 1024);
const WITHOUT_END = Number.MAX_SAFE_INTEGER;
const MEGABYTE = 1_000_000;

/** What is in the tables of outlines, and what was written of it so far. */
interface Volume {
  readonly walBytes: number;
  readonly logRows: number;
  readonly logBytes: number;
  readonly snapshotBytes: number;
  readonly outlineBytes: number;
  readonly deadRows: number;
  readonly vacuums: number;
}

const VOLUME = `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as "walBytes",
  (select count(*) from outline_store.entry) as "logRows",
  pg_total_relation_size('outline_store.entry') as "logBytes",
  pg_total_relation_size('outline_store.snapshot_part') as "snapshotBytes",
  pg_total_relation_size('outline_store.outline') as "outlineBytes",
  sum(n_dead_tup) as "deadRows", sum(autovacuum_count) as vacuums
  from pg_stat_user_tables where schemaname = 'outline_store'
    and relname in ('entry', 'snapshot_part', 'outline')`;

async function volumeOf(server: PostgresServer): Promise<Volume> {
  const [row = {}] = await server.run("postgres", VOLUME);
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, Number(value)]),
  ) as unknown as Volume;
}

/** An outline that is written to, and what is behind its last snapshot. */
class WrittenOutline {
  readonly id;
  readonly #store: PostgresStore;
  #behind = 0;
  #saving: Promise<unknown> | undefined;

  constructor(store: PostgresStore, random: () => number) {
    this.#store = store;
    this.id = newOutlineId(random);
  }

  async append(): Promise<void> {
    const seq = await this.#store.log.append(this.id, { updates: [randomBytes(UPDATE_BYTES)] });
    this.#behind += 1;
    if (this.#behind < UPDATES_PER_SNAPSHOT || this.#saving !== undefined) return;
    this.#behind = 0;
    const small = Buffer.alloc(64);
    const snapshot = { seq, chunks: [CHUNK], stateVector: small, annex: small };
    this.#saving = this.#store.log
      .saveSnapshot(this.id, snapshot)
      .finally(() => (this.#saving = undefined));
    await this.#saving;
  }
}

/**
 * Small updates at the rate of a large service, for an hour: what the log of the database takes, and
 * whether vacuum keeps up with what snapshots make needless.
 */
export const clusterVolumeRow: SoakRow = {
  name: "cluster/volume",
  fault: `${UPDATES_PER_SECOND.toLocaleString("en")} updates of ${UPDATE_BYTES} bytes a second, and snapshots of 32 KB`,
  goal: "no more is stored than the log keeps behind a snapshot, and what vacuum frees is used again",
  unit: "seconds",
  full: 3600,
  short: 8,
  budgetMs: 100 * 60_000,
  controls: { "keeps-all": "snapshots leave the whole log behind them" },
  async run({ amount, seed, control, goesOn }) {
    const tail: TailLimits =
      control === undefined ? DEFAULT_TAIL : { updates: WITHOUT_END, bytes: WITHOUT_END };
    const server = await PostgresServer.start();
    const options = { now: Date.now, randomBytes, address: "127.0.0.1:1", limits: PATIENT, tail };
    const store = await PostgresStore.open(server.urlOf("postgres"), options);
    const random = seededRandom(seed);
    // So few that all reach several snapshots, however short the run is.
    const count = Math.ceil(amount / 2);
    const outlines = Array.from({ length: count }, () => new WrittenOutline(store, random));
    const failures: string[] = [];
    const figures: Record<string, number> = {};
    const begun = await volumeOf(server);
    let half: Volume | undefined;
    let written = 0;
    let late = 0;
    let done = 0;
    try {
      const startedAt = performance.now();
      while (done < amount && !isEnoughOf(failures, control) && goesOn(done)) {
        for (let tick = 0; tick < TICKS_PER_SECOND; tick += 1) {
          const appended = Array.from({ length: UPDATES_PER_SECOND / TICKS_PER_SECOND }, async () =>
            outlines[Math.floor(random() * count)]?.append(),
          );
          await Promise.all(appended);
          written += appended.length;
          const due = startedAt + (written * 1000) / UPDATES_PER_SECOND;
          late = Math.max(late, performance.now() - due);
          await delay(Math.max(0, due - performance.now()));
        }
        done += 1;
        if (done === Math.floor(amount / 2)) half = await volumeOf(server);
      }
      const end = await volumeOf(server);
      const most = count * (DEFAULT_TAIL.updates + 2 * UPDATES_PER_SNAPSHOT);
      if (end.logRows > most) failures.push(`${end.logRows} rows of at most ${most} in the log`);
      if (half !== undefined && amount >= 600 && end.logBytes > 1.5 * half.logBytes) {
        failures.push(
          `the log grew from ${half.logBytes} to ${end.logBytes} bytes in the second half`,
        );
      }
      figures["updates"] = written;
      figures["seconds behind at most"] = Math.round(late) / 1000;
      figures["bytes of WAL for an update, with snapshots"] = Math.round(
        (end.walBytes - begun.walBytes) / written,
      );
      figures["MB of WAL"] = Math.round((end.walBytes - begun.walBytes) / MEGABYTE);
      figures["rows in the log"] = end.logRows;
      figures["MB of the log, with index, after half the time"] = Math.round(
        (half?.logBytes ?? 0) / MEGABYTE,
      );
      figures["MB of the log, with index"] = Math.round(end.logBytes / MEGABYTE);
      figures["MB of snapshots"] = Math.round(end.snapshotBytes / MEGABYTE);
      figures["MB of the rows of outlines"] = end.outlineBytes / MEGABYTE;
      figures["dead rows"] = end.deadRows;
      figures["vacuums"] = end.vacuums;
    } finally {
      await store.close();
      await server.stop();
    }
    return { done, failures, figures };
  },
};
