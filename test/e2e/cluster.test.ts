import { request } from "node:http";
import { WebSocket } from "ws";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../../src/core/node-key.ts";
import { RawConnection } from "../support/raw-http.ts";
import { Cluster } from "./cluster.ts";
import type { ServerProcess } from "./server-process.ts";
import { connectStockClient } from "./stock-client.ts";

let cluster: Cluster;
let one: ServerProcess;
let two: ServerProcess;

beforeAll(async () => {
  cluster = await Cluster.start();
  one = await cluster.newProcess("one");
  two = await cluster.newProcess("two");
});
afterAll(() => cluster.stop());

const PATIENCE = { timeout: 60_000 };

async function metric({ url }: ServerProcess, name: string): Promise<string> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return line?.slice(name.length + 1) ?? "0";
}

function passed(process: ServerProcess, kind: "request" | "websocket"): Promise<string> {
  return metric(process, `outline_passed_total{kind="${kind}"}`);
}

test("[P101] what is written by way of one process is read by way of any other, at once", async () => {
  expect(two.key).toBe("");
  for (let round = 0; round < 10; round += 1) {
    const [writer, reader] = round % 2 === 0 ? [one, two] : [two, one];
    expect(await cluster.add(writer, `line ${round}`)).toBe(true);
    const names = await cluster.names(reader);
    expect(names?.at(-1)).toBe(`line ${round}`);
  }
  const counts = [await passed(one, "request"), await passed(two, "request")];
  expect(counts.toSorted()).toEqual(["0", "10"]);
  for (const name of ["outline_owned_outlines", "outline_taken_outlines_total"]) {
    const each = await Promise.all([one, two].map((process) => metric(process, name)));
    expect(each.toSorted()).toEqual(["0", "1"]);
  }
  for (const process of [one, two]) {
    await expect.poll(() => metric(process, "outline_processes"), PATIENCE).toBe("2");
    expect(Number(await metric(process, "outline_heartbeat_seconds"))).toBeGreaterThan(0);
  }
});

test("[P101] an answer by way of another process is the same, with its headers and refusals", async () => {
  const paths = [
    "nodes?parent_id=inbox",
    "nodes/no-such-node",
    "targets",
    "nodes-export?root=inbox",
  ];
  for (const path of paths) {
    const answers = [await cluster.ask(one, path), await cluster.ask(two, path)];
    const [here, there] = answers.map(({ status, headers, text }) => {
      const kept = [...headers].filter(
        ([name]) => !["date", "connection", "keep-alive"].includes(name),
      );
      return { status, text, headers: kept };
    });
    expect(there).toEqual(here);
  }
  const large = { name: "x".repeat(200_000), parent_id: "inbox", position: "top" };
  for (const process of [one, two]) {
    expect((await cluster.ask(process, "nodes", { body: large })).status).toBe(200);
    expect((await cluster.ask(process, "nodes", { body: { name: 7 } })).status).toBe(400);
    expect((await cluster.ask(process, "nodes", { key: "ok_wrong" })).status).toBe(401);
  }
});

test("[P101] clients on two processes see each other's edits, and those of programs", async () => {
  const clients = [one, two].map(({ url }) => connectStockClient(url, cluster.key));
  try {
    const [first, second] = clients;
    if (first === undefined || second === undefined) throw new Error("two clients");
    await expect.poll(() => clients.every(({ provider }) => provider.synced), PATIENCE).toBe(true);
    first.outline.create({ parent: ROOT, name: "by the first client" });
    const count = first.outline.childKeys(ROOT).length;
    await expect.poll(() => second.outline.childKeys(ROOT).length, PATIENCE).toBe(count);
    second.outline.create({ parent: ROOT, name: "by the second client" });
    await expect.poll(() => first.outline.childKeys(ROOT).length, PATIENCE).toBe(count + 1);
    const body = { name: "by a program", parent_id: "None", position: "bottom" };
    for (const process of [one, two]) await cluster.ask(process, "nodes", { body });
    for (const { outline } of clients) {
      await expect.poll(() => outline.childKeys(ROOT).length, PATIENCE).toBe(count + 3);
    }
  } finally {
    for (const client of clients) client.leave();
  }
});

test("[P100, P101] a key that one process revokes is refused by every other, and its sockets end", async () => {
  const made = await cluster.ask(one, "keys", { body: { name: "short", scope: "write" } });
  const { id, key } = JSON.parse(made.text) as { readonly id: string; readonly key: string };
  const clients = [one, two].map(({ url }) => connectStockClient(url, key));
  try {
    await expect.poll(() => clients.every(({ provider }) => provider.synced), PATIENCE).toBe(true);
    for (const process of [one, two]) {
      expect((await cluster.ask(process, "nodes?parent_id=inbox", { key })).status).toBe(200);
    }
    const revoked = await cluster.ask(two, `keys/${id}`, { method: "DELETE" });
    expect(revoked.status).toBe(200);
    for (const process of [one, two]) {
      expect((await cluster.ask(process, "nodes?parent_id=inbox", { key })).status).toBe(401);
    }
    for (const { closeCodes } of clients) {
      await expect.poll(() => closeCodes, PATIENCE).toContain(4401);
    }
  } finally {
    for (const client of clients) client.leave();
  }
});

test("[C7, P101] a command reaches an outline that another process serves", async () => {
  for (const name of ["one", "two", "one"]) {
    const imported = await cluster.import(name, `imported by way of ${name}`);
    expect(imported).toMatchObject({ code: 0 });
    const exported = await cluster.command(name, ["export", "--format", "text"]);
    expect(exported.out).toContain(`imported by way of ${name}`);
  }
  const added = await cluster.command("one", ["user", "add", "you"]);
  const key = /ok_\S+/.exec(added.out)?.[0] ?? "";
  const body = { name: "mine", parent_id: "inbox", position: "top" };
  expect((await cluster.ask(one, "nodes", { body, key })).status).toBe(200);
  const removed = await cluster.command("two", ["user", "remove", "you"]);
  expect(removed).toMatchObject({ code: 0 });
  expect((await cluster.ask(one, "nodes?parent_id=inbox", { key })).status).toBe(401);
});

test("[U62, P101] what is asked for again of another owner is not done twice", async () => {
  const add = (process: ServerProcess): Promise<Response> =>
    fetch(`${process.url}/api/v1/nodes`, {
      method: "POST",
      headers: { authorization: `Bearer ${cluster.key}`, "idempotency-key": "other-owner" },
      body: JSON.stringify({ name: "once, whoever has it" }),
    });
  const first = await (await add(one)).text();
  const owned: string[] = [];
  for (const name of ["one", "two", "one"]) {
    // A command has the outline handed over to the process that it reaches.
    expect(await cluster.import(name, "x")).toMatchObject({ code: 0 });
    owned.push(await metric(one, "outline_owned_outlines"));
    for (const process of [one, two]) {
      const again = await add(process);
      expect([again.status, again.headers.get("idempotent-replayed"), await again.text()]).toEqual([
        200,
        "true",
        first,
      ]);
    }
  }
  expect(owned).toEqual(["1", "0", "1"]);
  const exported = await cluster.command("one", ["export", "--format", "text"]);
  expect(exported.out.split("once, whoever has it")).toHaveLength(2);
});

test("[P101] a command gets an outline that another process is asked for all the time", async () => {
  const [owner] = await Promise.all(
    [one, two].map(async (process) => ({
      process,
      owned: await metric(process, "outline_owned_outlines"),
    })),
  ).then((found) => found.toSorted((a, b) => Number(b.owned) - Number(a.owned)));
  if (owner === undefined) throw new Error("two processes");
  const over = new AbortController();
  const asking = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) await cluster.names(owner.process);
  });
  const name = owner.process === one ? "two" : "one";
  const imported = await cluster.import(name, "imported meanwhile");
  over.abort();
  await Promise.all(asking);
  expect(imported).toMatchObject({ code: 0 });
});

test("[P101] a process that has just got an outline serves it, whatever it knew before", async () => {
  const rows = await cluster.database.run(
    "postgres",
    `select p.address as owner, encode(o.id, 'hex') as outline, encode(m.secret, 'hex') as secret,
        (select max(id) from outline_store.process where id <> p.id) as taker
      from outline_store.outline o join outline_store.process p on p.id = o.owner,
        outline_store.meta m
      where o.made`,
  );
  const { owner, outline, secret, taker } = rows[0] ?? {};
  const other = (await metric(one, "outline_owned_outlines")) === "1" ? two : one;
  // It knows who has it.
  expect(await cluster.names(other)).toBeDefined();
  const handedOver = await fetch(`http://${String(owner)}/hand-over/${String(outline)}`, {
    method: "POST",
    headers: {
      "x-outline-secret": String(secret),
      "x-outline-client": "127.0.0.1",
      "x-outline-hops": "1",
      "x-outline-taker": String(taker),
    },
  });
  expect(handedOver.status).toBe(204);
  expect((await cluster.ask(other, "targets")).status).toBe(200);
  expect(await metric(other, "outline_owned_outlines")).toBe("1");
});

test("[P102] nobody without the secret is answered by the internal listener", async () => {
  const rows = await cluster.database.run("postgres", "select address from outline_store.process");
  expect(rows).toHaveLength(2);
  for (const { address } of rows) {
    for (const secret of [undefined, "", "0".repeat(64)]) {
      const answer = await fetch(`http://${String(address)}/api/v1/nodes?parent_id=inbox`, {
        headers: {
          authorization: `Bearer ${cluster.key}`,
          "x-outline-client": "127.0.0.1",
          "x-outline-hops": "1",
          ...(secret !== undefined && { "x-outline-secret": secret }),
        },
      });
      expect(answer.status).toBe(403);
    }
  }
});

test("[Q92] websockets that are passed on count for their address where they came in", async () => {
  // The limit of the owner is another one.
  const edge = await cluster.newProcess("edge", {
    environment: { OUTLINE_MAX_CONNECTIONS_PER_ADDRESS: "3" },
  });
  const open = (): Promise<WebSocket | number> =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${edge.url.replace("http", "ws")}/sync/me`, [
        "yjs",
        cluster.key,
      ]);
      socket.on("error", () => undefined);
      socket.once("open", () => resolve(socket));
      socket.once("unexpected-response", (_request, answer) => resolve(answer.statusCode ?? 0));
    });
  const sockets: WebSocket[] = [];
  for (let count = 0; count < 3; count += 1) {
    const socket = await open();
    if (typeof socket === "number") throw new Error(`refused with ${socket}`);
    sockets.push(socket);
  }
  expect(await passed(edge, "websocket")).toBe("3");
  expect(await open()).toBe(429);
  sockets.pop()?.terminate();
  // There is room as soon as the end of one has come to it.
  let another = await open();
  while (typeof another === "number") another = await open();
  for (const socket of [...sockets, another]) socket.terminate();
  expect(await edge.stop("SIGTERM")).toMatchObject({ code: 0 });
});

test("[P104] a process that is stopped says so, and its outlines are served by another one at once", async () => {
  const stopping = await cluster.newProcess("stopping");
  const added = await cluster.command("stopping", ["user", "add", "them"]);
  const key = /ok_\S+/.exec(added.out)?.[0] ?? "";
  const body = { name: "kept", parent_id: "inbox", position: "top" };
  expect((await cluster.ask(stopping, "nodes", { body, key })).status).toBe(200);
  const client = connectStockClient(stopping.url, key);
  await expect.poll(() => client.provider.synced, PATIENCE).toBe(true);
  const stopped = stopping.stop("SIGTERM");
  const readiness = (): Promise<unknown> =>
    fetch(`${stopping.url}/readyz`).then(async (answer) => [answer.status, await answer.text()]);
  await expect.poll(readiness, PATIENCE).toEqual([503, expect.stringContaining("draining")]);
  // It goes on meanwhile.
  expect((await cluster.ask(stopping, "nodes", { body, key })).status).toBe(200);
  expect(await stopped).toMatchObject({ code: 0 });
  await expect.poll(() => client.closeCodes, PATIENCE).toContain(1012);
  client.leave();
  const read = await cluster.ask(one, "nodes?parent_id=inbox", { key });
  const { nodes } = JSON.parse(read.text) as { readonly nodes: readonly { name: string }[] };
  expect(nodes.map(({ name }) => name)).toEqual(["kept", "kept"]);
});

test("[C7, C10] a process with the data folder of another one is refused", async () => {
  const refused = await cluster.command("one", ["serve"]);
  expect(refused).toEqual({
    code: 1,
    out: "",
    err: "Another server runs with this data folder: give each a folder of its own with --data.\n",
  });
});

test("[C10, P101] a key that several processes were given stays when one of them can't begin", async () => {
  const key = "a-key-that-all-of-them-were-given";
  const given = { OUTLINE_API_KEY: key, OUTLINE_PORT: new URL(one.url).port };
  const refused = await cluster.command("no port", ["serve"], given);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("is in use") });
  expect(await cluster.ask(two, "targets", { key })).toMatchObject({ status: 200 });
});

test("[C11, P104] a stop ends what another process holds until something happens", async () => {
  const edge = await cluster.newProcess("edge");
  expect(await cluster.add(one, "somebody has it")).toBe(true);
  const { text } = await cluster.ask(edge, "changes");
  const { cursor } = JSON.parse(text) as { readonly cursor: string };
  const before = Number(await passed(edge, "request"));
  const headers = { authorization: `Bearer ${cluster.key}` };
  const stream = await fetch(`${edge.url}/api/v1/events`, { headers });
  const held = cluster.ask(edge, `changes?since=${cursor}&wait=60`);
  // One is under way for as long as nothing is answered.
  expect(Number(await passed(edge, "request")) - before).toBe(1);
  const { code, err } = await edge.stop("SIGTERM");
  expect([code, err]).toEqual([0, expect.not.stringContaining("did not finish in time")]);
  expect([stream.status, await stream.text()]).toEqual([200, expect.any(String)]);
  expect(await held).toMatchObject({ status: 503, text: expect.stringContaining("unavailable") });
});

test("[P101] a body in chunks is one by way of another process, too, whatever the method", async () => {
  const send = ({ url }: ServerProcess, method: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${cluster.key}`,
        "content-type": "application/json",
        "transfer-encoding": "chunked",
      };
      const asked = request(`${url}/api/v1/nodes/no-such-node`, { method, headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => (text += part));
        answer.once("end", () => resolve(`${answer.statusCode} ${text}`));
      });
      asked.once("error", reject);
      asked.end('{"name": ');
    });
  for (const method of ["POST", "DELETE", "GET"]) {
    expect(await send(two, method)).toBe(await send(one, method));
  }
});

/** As many bytes and as many headers as Node takes. */
const FILLERS = {
  "is as large as may be": (left: number) => `X-Filler: ${"a".repeat(left - 20)}\r\n`,
  "has as many lines as may be": () => "X:\r\n".repeat(1998),
};

test.each(Object.entries(FILLERS))(
  "[P101] a head that %s is answered by way of another process, too",
  async (_, filler) => {
    expect(await statusOf(one, filler)).toBe(200);
    expect(await statusOf(two, filler)).toBe(200);
  },
);

async function statusOf(process: ServerProcess, filler: (left: number) => string): Promise<number> {
  const connection = await RawConnection.open(process.url);
  const head = `GET /api/v1/targets HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${cluster.key}\r\n`;
  connection.write(`${head}${filler(16 * 1024 - head.length)}\r\n`);
  const { status } = await connection.answer();
  connection.socket.destroy();
  return status;
}

test("[P102] what a client says in the headers of the service is believed by nobody", async () => {
  const answer = await fetch(`${two.url}/api/v1/nodes?parent_id=inbox`, {
    headers: { authorization: `Bearer ${cluster.key}`, "x-outline-hops": "9" },
  });
  expect(answer.status).toBe(200);
});
