import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { PostgresServer } from "../support/postgres/postgres-server.ts";
import { FREELY, onDatabase, settle } from "./migration.ts";
import { useProgramFolder } from "./program-folder.ts";

const program = useProgramFolder();
let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.shared();
});

function migrate(from: string, to: string) {
  return program.command(["migrate", "--from", from, "--to", to]);
}

test("[C27] a store moves from a data folder to a database and back, and nobody notices", async () => {
  const settled = await settle(program);
  const database = await server.newDatabase();
  const folder = `level:${program.data}`;
  const first = await program.start({ environment: FREELY });
  const before = await settled.look(first);
  expect(before).toMatchObject({ session: [200, { user: "me" }], reader: 200, revoked: 401 });
  // While the server runs nothing is moved.
  expect(await migrate(folder, server.urlOf(database))).toMatchObject({
    code: 1,
    err: "--from: Another process uses it: stop the server first.\n",
  });
  await first.stop("SIGTERM");
  expect(await migrate(folder, server.urlOf(database))).toEqual({
    code: 0,
    out: "",
    err: "Moved 1 outline and 2 users; all of it was read back and is the same.\n",
  });

  const second = await program.start(onDatabase(program, server, database));
  expect(second.key).toBe("");
  expect(await settled.look(second)).toEqual(before);
  const third = `level:${join(program.path, "third")}`;
  expect(await migrate(folder, server.urlOf(database))).toMatchObject({
    code: 1,
    err: "--to: Another process uses it: stop the server first.\n",
  });
  expect(await migrate(server.urlOf(database), third)).toMatchObject({
    code: 1,
    err: "--from: Another process uses it: stop the server first.\n",
  });
  const changed = await settled.change(second);
  await second.stop("SIGTERM");
  // It has been served since.
  expect(await migrate(folder, server.urlOf(database))).toMatchObject({
    code: 1,
    err: "--to: The database holds this store already: it was moved there before. Nothing was changed.\n",
  });
  expect(await program.command(["check"], onDatabase(program, server, database))).toMatchObject({
    code: 0,
  });

  expect(await migrate(server.urlOf(database), third)).toMatchObject({ code: 0 });
  const back = await program.start({
    data: join(program.path, "third"),
    environment: FREELY,
  });
  expect(await settled.look(back)).toEqual(changed);
  await settled.change(back);
  await back.stop("SIGTERM");
});
