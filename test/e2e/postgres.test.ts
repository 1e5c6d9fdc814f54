import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PostgresServer } from "../support/postgres/postgres-server.ts";
import { runProgram, type ServerProcess, startServerProcess } from "./server-process.ts";

let server: PostgresServer;
let folder: string;
const started: ServerProcess[] = [];

beforeAll(async () => {
  server = await PostgresServer.shared();
  folder = await mkdtemp(join(tmpdir(), "outline-e2e-"));
});
afterAll(async () => {
  for (const each of started) await each.stop("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** A process with a data folder of its own, on the same database. */
function optionsOf(name: string) {
  return {
    data: join(folder, name),
    environment: { OUTLINE_STORE: server.urlOf("postgres") },
  };
}

async function start(name: string): Promise<ServerProcess> {
  const process = await startServerProcess(optionsOf(name));
  started.push(process);
  return process;
}

async function namesAt(url: string, key: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/api/v1/nodes?parent_id=inbox`, { headers });
  const { nodes } = (await answer.json()) as { readonly nodes: readonly { name: string }[] };
  return nodes.map(({ name }) => name);
}

test("[C8, P24] a first start on a database minds no damaged store that the data folder keeps", async () => {
  await mkdir(join(optionsOf("kept").data, "store.damaged-1"), { recursive: true });
  const process = await start("kept");
  expect(process.key).toMatch(/^ok_/);
  expect(await process.stop("SIGTERM")).toMatchObject({ code: 0 });
  await server.empty();
});

test("[C7, P91] after a kill another machine goes on with the database at once, with all that was answered", async () => {
  const first = await start("one");
  expect(first.key).toMatch(/^ok_/);
  const headers = { authorization: `Bearer ${first.key}` };
  for (const name of ["a", "b"]) {
    const body = JSON.stringify({ name, parent_id: "inbox", position: "bottom" });
    const answer = await fetch(`${first.url}/api/v1/nodes`, { method: "POST", headers, body });
    expect(answer.status).toBe(200);
  }
  const refused = await runProgram(["serve"], optionsOf("two"));
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("Another process") });
  await first.stop("SIGKILL");
  const second = await start("two");
  // It made no user of its own.
  expect(second.key).toBe("");
  expect(await namesAt(second.url, first.key)).toEqual(["a", "b"]);
  // Commands would reach that one, or the other.
  const { data } = optionsOf("two");
  const another = await runProgram(["serve"], { data });
  expect(another).toMatchObject({ code: 1, err: expect.stringContaining("data folder") });
  const check = await runProgram(["check"], optionsOf("two"));
  expect(check).toMatchObject({ code: 0 });
  expect(await second.stop("SIGTERM")).toMatchObject({ code: 0 });
});
