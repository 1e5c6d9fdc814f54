import { randomBytes } from "node:crypto";
import { newOutlineId } from "../../src/core/node-key.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { PATIENT, PostgresServer } from "../support/postgres/postgres-server.ts";

/** For each update of 40 bytes, each in a commit with those of other outlines. */
export interface ClusterBytes {
  /** In the table of updates and its index. */
  readonly stored: number;
  /** In the write-ahead log, which is what a standby is sent. */
  readonly wal: number;
}

const OUTLINES = 1000;
const ROUNDS = 200;
const BYTES = 40;

const SIZES = `select pg_total_relation_size('outline_store.entry') as stored,
  pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal`;

export async function benchClusterBytes(): Promise<ClusterBytes> {
  const server = await PostgresServer.start();
  try {
    const options = { now: Date.now, randomBytes, address: "127.0.0.1:1", limits: PATIENT };
    const store = await PostgresStore.open(server.urlOf("postgres"), options);
    const outlines = Array.from({ length: OUTLINES }, () => newOutlineId(Math.random));
    const before = await sizesOf(server);
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(
        outlines.map((outline) => store.log.append(outline, { updates: [randomBytes(BYTES)] })),
      );
    }
    const after = await sizesOf(server);
    await store.close();
    const updates = OUTLINES * ROUNDS;
    return {
      stored: (after.stored - before.stored) / updates,
      wal: (after.wal - before.wal) / updates,
    };
  } finally {
    await server.stop();
  }
}

async function sizesOf(server: PostgresServer): Promise<ClusterBytes> {
  const [row] = await server.run("postgres", SIZES);
  return { stored: Number(row?.["stored"]), wal: Number(row?.["wal"]) };
}
