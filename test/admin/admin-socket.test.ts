import { chmod, mkdir, mkdtemp, realpath, rename, rm, stat, symlink } from "node:fs/promises";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type AdminChannel, AdminFailure } from "../../src/admin/admin-channel.ts";
import { AdminClient } from "../../src/admin/admin-client.ts";
import { jsonLines } from "../../src/admin/json-lines.ts";
import { type AdminSocket, listenForAdmin } from "../../src/admin/admin-socket.ts";
import { socketPathOf } from "../../src/admin/socket-path.ts";
import { newNodeKey, newOutlineId } from "../../src/core/node-key.ts";
import { StoreError } from "../../src/documents/log/outline-log.ts";
import { UnavailableError } from "../../src/documents/log/unavailable-error.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";
import { FakeChannel } from "../command/fake-channel.ts";
import { outlineOf, startAdmin } from "./service-parts.ts";

const OUTLINE = newOutlineId(() => 0.3);

let folder: string;
let path: string;
let socket: AdminSocket | undefined;
let failures: unknown[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "outline-admin-"));
  path = await socketPathOf(folder);
  failures = [];
});

afterEach(async () => {
  await socket?.close();
  socket = undefined;
  await rm(folder, { recursive: true });
});

async function serve(channel: AdminChannel): Promise<AdminClient> {
  socket = await listenForAdmin(channel, path, (_operation, error) => failures.push(error));
  const client = await AdminClient.connect(path);
  if (client === undefined) throw new Error("nobody listens");
  return client;
}

describe("the admin socket", () => {
  test("[C7] carries parameters, entries, items, progress and outcome", async () => {
    const entries: OutlineEntry[] = [
      { depth: 0, name: "a\n<b>é</b>", layout: "h1", note: "n", key: newNodeKey(() => 0.7) },
      {
        depth: 1,
        name: "",
        layout: "bullets",
        completedAt: "unknown",
        createdAt: 1,
        modifiedAt: 2,
      },
      ...Array.from({ length: 20_000 }, (): OutlineEntry => ({
        depth: 0,
        name: "x",
        layout: "todo",
      })),
    ];
    const channel = new FakeChannel({
      import: { progress: [{ done: 1, total: 2 }], items: [{ nodes: 3 }] },
    });
    const client = await serve(channel);
    const seen: unknown[] = [];
    const outcome = await client.run(
      "import",
      { user: "me", parent: "inbox" },
      {
        input: entries,
        onItem: (item) => void seen.push(item),
        onProgress: (progress) => void seen.push(progress),
      },
    );
    expect(outcome).toEqual({ kind: "done" });
    expect(seen).toEqual([{ done: 1, total: 2 }, { nodes: 3 }]);
    expect(channel.asked).toEqual([
      { operation: "import", params: { user: "me", parent: "inbox" }, input: entries },
    ]);
  });

  test("[C7] between the pieces of what a command sends others have their turn", async () => {
    const piece = Buffer.from(`{"entry":{"name":"x"}}\n`.repeat(1_000));
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    let lines = 0;
    for await (const _ of jsonLines(Readable.from(Array.from({ length: 10 }, () => piece))))
      lines++;
    clearImmediate(next);
    expect([lines, turns >= 10]).toEqual([10_000, true]);
  });

  test("[C7] carries bytes", async () => {
    const update = Uint8Array.from({ length: 10_000 }, (_, index) => index % 256);
    const client = await serve(
      new FakeChannel({ state: { items: [{ outline: OUTLINE }, { update }, { update }] } }),
    );
    const items: unknown[] = [];
    await client.run("state", { user: "me" }, { onItem: (item) => void items.push(item) });
    expect(items).toEqual([
      { outline: OUTLINE },
      { update: Buffer.from(update) },
      { update: Buffer.from(update) },
    ]);
  });

  test("[C7] a refusal is an outcome, also while the input is still being sent", async () => {
    const refusal = { kind: "refused", reason: "no" } as const;
    const client = await serve({
      run: () => Promise.resolve(refusal),
      close: () => Promise.resolve(),
    });
    const entry: OutlineEntry = { depth: 0, name: "x".repeat(10_000), layout: "todo" };
    const input = Array.from({ length: 2000 }, () => entry);
    expect(await client.run("import", { user: "me" }, { input })).toEqual(refusal);
  });

  test.each([
    [
      new UnavailableError("the store does not answer"),
      "The store fails now: the store does not answer.",
    ],
    [new StoreError("store_unavailable", "The disk is full."), "The disk is full."],
  ])("[C4] that the store fails is told with why", async (cause, sentence) => {
    const client = await serve({
      run: () => Promise.reject(new UnavailableError("the store fails now", { cause })),
      close: () => Promise.resolve(),
    });
    await expect(client.run("user-add", { user: "anna" })).rejects.toThrow(
      new AdminFailure(sentence),
    );
  });

  test("[C7] an answer does not end before the input, or what still comes would take it away", async () => {
    await serve({
      run: () => Promise.resolve({ kind: "refused", reason: "no" }),
      close: () => Promise.resolve(),
    });
    const asking = request({ socketPath: path, method: "POST", path: "/import", agent: false });
    asking.write(`${JSON.stringify({ params: { user: "me" } })}\n`);
    const [response] = (await once(asking, "response")) as [IncomingMessage];
    const said: string[] = [];
    response.setEncoding("utf8").on("data", (text: string) => said.push(text));
    while (said.length === 0) await once(response, "data");
    // By the time that others are answered, an end would be here.
    for (let count = 0; count < 3; count++) await AdminClient.connect(path);
    expect([asking.destroyed, response.complete]).toEqual([false, false]);
    asking.end(`${JSON.stringify({ end: true })}\n`);
    await once(response, "end");
    expect(said.map((text) => JSON.parse(text))).toEqual([
      { outcome: { kind: "refused", reason: "no" } },
    ]);
  });

  test("[C7] a store's failure is told, any other is only logged", async () => {
    const failing = new FakeChannel({
      backup: { failure: new StoreError("store_unavailable", "The disk is full.") },
      restore: { failure: new Error("secret details") },
    });
    const client = await serve(failing);
    await expect(client.run("backup", { folder: "/x" })).rejects.toThrow("The disk is full.");
    await expect(client.run("restore", { folder: "/x" })).rejects.toThrow(/see its log/);
    expect(failures).toHaveLength(2);
  });

  test("[C7] a server that goes away in the middle is a failure", async () => {
    const dying = createServer((request, response) => {
      if (request.method === "GET") return void response.end();
      response.write(`${JSON.stringify({ progress: { done: 1, total: 2 } })}\n`);
      request.on("data", () => response.socket?.destroy());
    });
    await new Promise<void>((resolve) => dying.listen(path, resolve));
    const client = await AdminClient.connect(path);
    await expect(client?.run("user-list", {})).rejects.toBeInstanceOf(AdminFailure);
    dying.close();
  });

  test("[C7] a command that goes away in the middle of an import imports nothing", async () => {
    let outcome: Promise<unknown> | undefined;
    const channel = new FakeChannel({ import: {} });
    const running: AdminChannel["run"] = (...args) => {
      const run = channel.run(...args);
      outcome = run;
      return run;
    };
    const client = await serve({ run: running, close: () => Promise.resolve() });
    function* brokenInput(): Generator<OutlineEntry> {
      for (let count = 0; count < 1000; count++) {
        yield { depth: 0, name: "a".repeat(10_000), layout: "todo" };
      }
      throw new Error("the file is gone");
    }
    const input = brokenInput();
    await expect(client.run("import", { user: "me" }, { input })).rejects.toThrow(
      "the file is gone",
    );
    await vi.waitFor(() => expect(outcome).toBeDefined());
    await expect(outcome).rejects.toThrow();
    expect(channel.asked).toEqual([]);
  });

  test.for(["the command", "the server"])(
    "[C7] an import that %s hangs up on while nodes are added imports nothing",
    async (who) => {
      const service = startAdmin({ maxImportNodes: 100_000 });
      onTestFinished(() => service.close());
      await service.accounts.addUser("me");
      await serve(service.admin);
      const importing = request({
        socketPath: path,
        method: "POST",
        path: "/import",
        agent: false,
      });
      importing.on("error", () => undefined);
      const send = (message: unknown) => importing.write(`${JSON.stringify(message)}\n`);
      send({ params: { user: "me" } });
      for (let count = 0; count < 20_000; count++) {
        send({ entry: { depth: 0, name: "node", layout: "bullets" } });
      }
      send({ end: true });
      importing.end();
      const [response] = (await once(importing, "response")) as [IncomingMessage];
      response.on("error", () => undefined);
      expect(String((await once(response, "data"))[0])).toContain("progress");
      if (who === "the command") importing.destroy();
      else socket?.hangUp();
      await vi.waitFor(() => expect(failures).toHaveLength(1), { timeout: 10_000 });
      expect((await outlineOf(service.admin, "me")).size).toBe(0);
    },
  );

  test("[C7] only its owner can open it", async () => {
    await serve(new FakeChannel({}));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("[C7] one that was left over is replaced; nobody listens at it before", async () => {
    const first = await listenForAdmin(new FakeChannel({}), path, () => undefined);
    const moved = `${path}.moved`;
    await rename(path, moved);
    await first.close();
    await rename(moved, path);
    expect(await AdminClient.connect(path)).toBeUndefined();
    const client = await serve(new FakeChannel({ "user-list": {} }));
    expect(await client.run("user-list", {})).toEqual({ kind: "done" });
  });

  test("[C7] what is no message of ours is refused and does no harm", async () => {
    const channel = new FakeChannel({ "user-add": {} });
    const client = await serve(channel);
    for (const [operation, body] of [
      ["user-add", '{"params":{}}\n'],
      ["user-add", '{"params":{"user":"a","more":1}}\n'],
      ["user-add", "{{{\n"],
      ["user-add", ""],
      ["__proto__", '{"params":{}}\n'],
      ["import", '{"entry":{}}\n'],
    ] as const) {
      expect(await post(operation, body)).toMatch(/"failure"/);
    }
    expect(channel.asked).toEqual([]);
    expect(await client.run("user-add", { user: "a" })).toEqual({ kind: "done" });
  });
});

/** What the socket answers to a body as it is. */
function post(operation: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request(
      { socketPath: path, method: "POST", path: `/${operation}` },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve(text));
      },
    );
    asking.on("error", reject);
    asking.end(body);
  });
}

describe("the path of the socket", () => {
  test("[C7] is in the data folder, by its real name", async () => {
    const link = join(folder, "link");
    const target = join(folder, "target");
    await mkdir(target);
    await symlink(target, link);
    expect(await socketPathOf(link)).toBe(join(await realpath(target), "admin.sock"));
  });

  test("[C7] is elsewhere, in a private folder, when it would be too long", async () => {
    const deep = join(folder, "x".repeat(120));
    await mkdir(deep);
    const elsewhere = await socketPathOf(deep);
    expect(Buffer.byteLength(elsewhere)).toBeLessThanOrEqual(103);
    expect((await stat(dirname(elsewhere))).mode & 0o777).toBe(0o700);
    expect(await socketPathOf(deep)).toBe(elsewhere);
    await chmod(dirname(elsewhere), 0o755);
    await expect(socketPathOf(deep)).rejects.toThrow(/somebody else/);
    await rm(dirname(elsewhere), { recursive: true });
  });
});
