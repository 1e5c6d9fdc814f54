import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { expect, onTestFinished } from "vitest";
import { ROOT } from "../../src/core/node-key.ts";
import type { OutlineLog } from "../../src/documents/log/outline-log.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import type { UserId } from "../../src/accounts/account-store.ts";
import { TestClock } from "../api/support/test-clock.ts";
import { startService, type TestService } from "../support/service.ts";
import { type RawAnswer, RawConnection } from "../support/raw-http.ts";
import { test } from "./http-test.ts";

async function newKey(service: TestService, more: object = {}) {
  const { body } = await service.request("POST", "/api/v1/keys", { name: "lost", ...more });
  return body as { id: string; key: string };
}

/** A create whose body is still being sent when the promise resolves; `finish` sends the rest. */
async function slowCreate(service: TestService, key: string, name: string) {
  const connection = await RawConnection.open(service.url);
  onTestFinished(() => connection.close());
  const body = JSON.stringify({ name });
  connection.write(
    `POST /api/v1/nodes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  // The server says that it waits for the body: the key was let in.
  await once(connection.socket, "progress");
  connection.write(body.slice(0, 5));
  return {
    async finish(): Promise<RawAnswer> {
      connection.write(body.slice(5));
      // The one that said so comes first.
      await connection.answer().catch(() => undefined);
      return connection.answer();
    },
  };
}

async function names(service: TestService): Promise<readonly string[]> {
  const { body } = await service.request("GET", "/api/v1/nodes");
  return (body as { nodes: { name: string }[] }).nodes.map(({ name }) => name);
}

test("[A6] a key that is revoked while a request is being sent does nothing with it", async ({
  service,
}) => {
  const { id, key } = await newKey(service);
  const create = await slowCreate(service, key, "too late");
  await service.request("DELETE", `/api/v1/keys/${id}`);
  expect((await create.finish()).status).toBe(401);
  expect(await names(service)).not.toContain("too late");
});

test("[A5] nor does one that expires meanwhile", async () => {
  const clock = new TestClock();
  const service = await startService({ now: clock.now });
  onTestFinished(() => service.close());
  const expiresAt = Math.floor(clock.now() / 1000) + 10;
  const { key } = await newKey(service, { expiresAt });
  const create = await slowCreate(service, key, "too late");
  const other = await slowCreate(service, key, "in time");
  expect((await other.finish()).status).toBe(200);
  clock.advance(10);
  expect((await create.finish()).status).toBe(401);
});

test("[A6] others that are being sent meanwhile go on", async ({ service }) => {
  const { id } = await newKey(service);
  const { key } = await newKey(service);
  const create = await slowCreate(service, key, "still mine");
  await service.request("DELETE", `/api/v1/keys/${id}`);
  expect((await create.finish()).status).toBe(200);
  expect(await names(service)).toContain("still mine");
});

test("[A6] a key that a restored backup does not have is not known by its connection", async ({
  service,
}) => {
  const { id, key } = await newKey(service);
  const connection = await RawConnection.open(service.url);
  onTestFinished(() => connection.close());
  const ask = async (): Promise<number> => {
    connection.request("GET /api/v1/nodes", { authorization: `Bearer ${key}` });
    return (await connection.answer()).status;
  };
  expect(await ask()).toBe(200);
  await service.store.accounts.removeKey(service.user as UserId, id);
  service.accounts.storeReplaced();
  expect(await ask()).toBe(401);
});

test("[P92] whoever waits while the database is away is not told of a backup", async ({
  service,
}) => {
  const { key } = await newKey(service);
  const create = await slowCreate(service, key, "waits");
  service.accounts.storeReplaced();
  const { status, body } = await create.finish();
  expect(status).toBe(503);
  expect(body).toContain("The store was opened anew; try again.");
});

/** An export of which the client reads nothing yet, far longer than all buffers on the way. */
async function startedExport(service: TestService, key: string): Promise<IncomingMessage> {
  const principal = await service.accounts.authenticate(key);
  if (principal === undefined) throw new Error("a new key that is not valid");
  await service.documents.use(principal.outline, (document) =>
    document.bulk(function* (outline) {
      const name = [{ insert: "x".repeat(100_000) }];
      for (let count = 0; count < 300; count += 1) {
        outline.createPlain({ parent: ROOT, position: "bottom", name });
        yield;
      }
    }),
  );
  const headers = { authorization: `Bearer ${key}` };
  const request = httpRequest(`${service.url}/api/v1/nodes-export`, { headers, agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  onTestFinished(() => void response.destroy());
  return response;
}

test("[A6, E29, E33] an export breaks off when its key is revoked", async () => {
  const service = await startService({ exportLimitMs: 0 });
  onTestFinished(() => service.close());
  const { id, key } = await newKey(service);
  const response = await startedExport(service, key);
  expect(response.statusCode).toBe(200);
  await service.request("DELETE", `/api/v1/keys/${id}`);
  await expect(response.toArray()).rejects.toMatchObject({ code: "ECONNRESET" });
  await expect.poll(() => service.documents.stats().pinned).toBe(0);
  // No fault of the server's.
  const { body } = await service.request("GET", "/metrics");
  expect(body).toMatch(/_count\{method="GET",route="\/api\/v1\/nodes-export",status="401"\} 1/);
});

test("[A5, E29] an export breaks off when its key expires", async () => {
  const clock = new TestClock();
  const service = await startService({ exportLimitMs: 0, now: clock.now });
  onTestFinished(() => service.close());
  const { key } = await newKey(service, { expiresAt: Math.floor(clock.now() / 1000) + 10 });
  const response = await startedExport(service, key);
  clock.advance(10);
  await expect(response.toArray()).rejects.toMatchObject({ code: "ECONNRESET" });
  await expect.poll(() => service.documents.stats().pinned).toBe(0);
});

/** A service whose loads of outlines wait for the test, with an outline that is not in memory. */
async function slowToLoad() {
  const store = new MemoryStore();
  let load = Promise.resolve();
  let isLoading = false;
  const log = new Proxy(store.log, {
    get(target, name: keyof OutlineLog) {
      if (name !== "load") return target[name].bind(target);
      const held: OutlineLog["load"] = async (outline, after) => {
        isLoading = true;
        await load;
        return target.load(outline, after);
      };
      return held;
    },
  });
  const service = await startService({
    store: { log, accounts: store.accounts, close: () => store.close() },
    exportLimitMs: 0,
  });
  onTestFinished(() => service.close());
  const { body } = await service.request("POST", "/api/v1/nodes", { name: "kept" });
  const { item_id: node } = body as { item_id: string };
  let letGo = (): void => undefined;
  return {
    service,
    node,
    /** From now on the outline has to be loaded, which takes until `load`. */
    forget: () => {
      service.documents.evictAll("a backup was restored");
      isLoading = false;
      load = new Promise((resolve) => (letGo = resolve));
    },
    load: () => letGo(),
    isLoading: () => isLoading,
  };
}

test.each([
  ["POST", "/keys", (node: string) => ({ name: "late", root_id: node })],
  ["POST", "/nodes", () => ({ name: "late" })],
  ["POST", "/nodes", () => ({ name: `${"late ".repeat(4000)}\n\nlate` })],
  ["POST", "/nodes/NODE", () => ({ name: "late" })],
  ["POST", "/nodes/NODE/move", () => ({})],
  ["POST", "/nodes/NODE/complete", () => ({})],
  ["DELETE", "/nodes/NODE", () => undefined],
  ["POST", "/targets", (node: string) => ({ key: "late", id: node })],
  ["DELETE", "/targets/late", () => undefined],
  ["POST", "/settings", () => ({ weekStart: 0 })],
  ["GET", "/nodes", () => undefined],
  ["GET", "/nodes/NODE", () => undefined],
  ["GET", "/nodes/NODE/backlinks", () => undefined],
  ["GET", "/nodes-export", () => undefined],
  ["GET", "/search?q=kept", () => undefined],
  ["GET", "/targets", () => undefined],
  ["GET", "/settings", () => undefined],
] as const)(
  "[A11] %s %s that waits for its outline does nothing for a revoked key",
  async (method, path, bodyOf) => {
    const { service, node, forget, load, isLoading } = await slowToLoad();
    const { id, key } = await newKey(service);
    const outlineNow = async () => [
      (await service.request("GET", "/api/v1/nodes-export")).body,
      (await service.request("GET", "/api/v1/targets")).body,
      (await service.request("GET", "/api/v1/settings")).body,
    ];
    const before = await outlineNow();
    forget();
    const url = `/api/v1${path.replace("NODE", node)}`;
    const waiting = service.request(method, url, bodyOf(node), { key });
    await expect.poll(isLoading).toBe(true);
    expect((await service.request("DELETE", `/api/v1/keys/${id}`)).status).toBe(200);
    load();
    expect((await waiting).status).toBe(401);
    expect(await outlineNow()).toEqual(before);
    const { body } = await service.request("GET", "/api/v1/keys");
    expect((body as { keys: unknown[] }).keys).toHaveLength(1);
  },
);

test("[A11] others that wait for the same outline go on", async () => {
  const { service, forget, load, isLoading } = await slowToLoad();
  const { id, key } = await newKey(service);
  forget();
  const waiting = ["late", "mine"].map((name, index) =>
    service.request("POST", "/api/v1/nodes", { name }, index === 0 ? { key } : {}),
  );
  await expect.poll(isLoading).toBe(true);
  await service.request("DELETE", `/api/v1/keys/${id}`);
  load();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([401, 200]);
  expect((await names(service)).toSorted()).toEqual(["kept", "mine"]);
});

test("[A11] a session that ends while its request waits does nothing either", async () => {
  const { service, forget, load, isLoading } = await slowToLoad();
  const cookie = await service.signIn();
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  forget();
  const waiting = service.request(
    "POST",
    "/api/v1/nodes",
    { name: "late" },
    { key: null, headers },
  );
  await expect.poll(isLoading).toBe(true);
  await service.request("DELETE", "/session", undefined, { key: null, headers });
  load();
  expect((await waiting).status).toBe(401);
  expect(await names(service)).toEqual(["kept"]);
});
