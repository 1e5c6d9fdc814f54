import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { PostgresServer } from "../support/postgres/postgres-server.ts";
import { FREELY, onDatabase, settle } from "./migration.ts";
import { useProgramFolder } from "./program-folder.ts";
import { launchServer, PROGRAM } from "./server-process.ts";

const program = useProgramFolder();
let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.shared();
});

/** Whoever comes to one of these points waits for a lock. */
const POINTS = [
  "before update on outline_store.meta for each row when (new.arriving and not old.arriving)",
  "before insert on outline_store.client_binding",
  "before insert on outline_store.session",
  "before update on outline_store.meta for each row when (not new.arriving)",
] as const;
const LOCK = 4711;
/** Eight processes are started, one after the other. */
const TIMEOUT_MS = 900_000;

/** Starts a move, kills it at one of the points, and answers when the database has noticed. */
async function killAt(point: string, args: readonly string[], database: string): Promise<void> {
  const holder = new pg.Client({ connectionString: server.urlOf(database) });
  await holder.connect();
  await holder.query(`select pg_advisory_lock(${LOCK})`);
  await holder.query(`create or replace trigger hold ${point} execute function hold()`);
  const migrating = launchServer({ data: program.data, program: [PROGRAM, ...args] });
  const waiting = `select pid from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`;
  for (;;) {
    const { rows } = await holder.query(waiting);
    if (rows.length > 0) break;
    expect(await Promise.race([migrating.ended, delay(20)])).toBeUndefined();
  }
  await migrating.stop("SIGKILL");
  const table = /outline_store\.\w+/.exec(point)?.[0] ?? "";
  await holder.query(`select pg_advisory_unlock(${LOCK})`);
  await holder.query(`drop trigger hold on ${table}`);
  const ended = once(holder, "end");
  await holder.end();
  await ended;
}

test(
  "[C28] a move to a database that is killed anywhere goes on, and no server takes the half of it",
  async () => {
    const settled = await settle(program);
    const first = await program.start({ environment: FREELY });
    const before = await settled.look(first);
    await first.stop("SIGTERM");
    const database = await server.newDatabase();
    const place = onDatabase(program, server, database);
    const args = ["migrate", "--from", `level:${program.data}`, "--to", server.urlOf(database)];
    // Makes the tables, in which there is nothing.
    const opened = { now: Date.now, randomBytes };
    await (await PostgresStore.open(server.urlOf(database), opened)).close();
    await server.run(
      database,
      `create function hold() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${LOCK}); return new; end $$`,
    );
    for (const point of POINTS) await killAt(point, args, database);
    expect(await program.command(["serve"], place)).toMatchObject({
      code: 1,
      err: "The database holds half of a store that is being moved there: run outline migrate again, to its end.\n",
    });
    // Of another store it is no target.
    const other = join(program.path, "other");
    await (await program.start({ data: other })).stop("SIGTERM");
    const foreign = ["migrate", "--from", `level:${other}`, "--to", server.urlOf(database)];
    expect(await program.command(foreign)).toMatchObject({
      code: 1,
      err: "--to: The database holds half of another store that is being moved there.\n",
    });
    expect(await program.command(args)).toMatchObject({ code: 0 });
    const second = await program.start(place);
    expect(await settled.look(second)).toEqual(before);
    expect(await program.command(["check"], place)).toMatchObject({ code: 0 });
    await second.stop("SIGTERM");
  },
  TIMEOUT_MS,
);
