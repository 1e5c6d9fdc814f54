import type { FastifyBaseLogger } from "fastify";
import { expect, test } from "vitest";
import type { OutlineId } from "../../src/core/node-key.ts";
import { metaOf, SCHEMA_VERSION, VERSION } from "../../src/core/schema.ts";
import { StoreError } from "../../src/documents/log/outline-log.ts";
import { newMemoryDisk } from "../support/memory-store/memory-disk.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import { QUIET_LOGGER } from "../support/quiet-logger.ts";
import { RawConnection } from "../support/raw-http.ts";
import { startService, type ServiceAnswer, type TestService } from "../support/service.ts";

function refusalOf({ status, body }: ServiceAnswer): unknown {
  return [status, (body as { code?: string }).code];
}

function create(service: TestService, name: string, key = service.key): Promise<ServiceAnswer> {
  return service.request("POST", "/api/v1/nodes", { name, position: "bottom" }, { key });
}

async function namesOf(service: TestService): Promise<readonly string[]> {
  const { body } = await service.request("GET", "/api/v1/nodes");
  return (body as { nodes: { name: string }[] }).nodes.map(({ name }) => name);
}

/** A logger that keeps what it is told of faults. */
function faultLog() {
  const faults: string[] = [];
  const keep = (fields: unknown, message?: string) => {
    const { err } = fields as { err?: Error };
    faults.push(`${message}: ${err?.message}`);
  };
  const logger: FastifyBaseLogger = { ...QUIET_LOGGER, error: keep, child: () => logger };
  return { faults, logger };
}

test("[E24] what can't be stored is 503 and gone, and later requests work again", async () => {
  let isBroken = false;
  const store = new MemoryStore({
    beforeCommit: () => {
      if (isBroken) throw new Error("the disk is full");
    },
  });
  const service = await startService({ store });
  try {
    expect((await create(service, "before")).status).toBe(200);
    isBroken = true;
    for (const refused of await Promise.all([create(service, "x"), create(service, "y")])) {
      expect(refusalOf(refused)).toEqual([503, "unavailable"]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect(Object.keys(refused.body as object)).toEqual(["error", "code", "message"]);
      expect(JSON.stringify(refused.body)).not.toContain("disk");
    }
    isBroken = false;
    await expect.poll(async () => (await create(service, "after")).status).toBe(200);
    expect(new Set(await namesOf(service))).toEqual(new Set(["before", "after"]));
  } finally {
    await service.close();
  }
});

test("[E24] keys that can't be stored or looked up are 503 too", async () => {
  const store = new MemoryStore();
  const service = await startService({ store });
  try {
    const fail = () => Promise.reject(new StoreError("store_unavailable", "the disk is full"));
    Object.assign(store.accounts, { addKey: fail, keyByHash: fail });
    const made = await service.request("POST", "/api/v1/keys", { name: "x" });
    expect(refusalOf(made)).toEqual([503, "unavailable"]);
    for (const path of ["/api/v1/nodes", "/api/v1/nothing", "/api/v1/nodes/%zz"]) {
      const options = { key: "a-key-that-nobody-has-asked-for" };
      const answer = await service.request("GET", path, undefined, options);
      expect([path, refusalOf(answer)]).toEqual([path, [503, "unavailable"]]);
    }
  } finally {
    await service.close();
  }
});

test("[D9] an outline that a newer server has written is said to be, and nothing is written", async () => {
  const { faults, logger } = faultLog();
  const disk = newMemoryDisk();
  const newer = await startService({ store: new MemoryStore({ disk }) });
  const outline = (await newer.accounts.authenticate(newer.key))?.outline;
  if (outline === undefined) throw new Error("the key is good");
  await newer.documents.use(outline, (document) =>
    document.write(({ doc }) => metaOf(doc).set(VERSION, SCHEMA_VERSION + 1)),
  );
  await newer.close();
  const store = new MemoryStore({ disk });
  const { head } = await store.log.load(outline);
  const service = await startService({ store, logger });
  try {
    for (const [method, body] of [["GET"], ["POST", { name: "x" }]] as const) {
      const answer = await service.request(method, "/api/v1/nodes", body, { key: newer.key });
      expect(answer).toMatchObject({ status: 500, body: { code: "outline_newer" } });
    }
    expect(faults.length).toBe(2);
    expect((await store.log.load(outline)).head).toBe(head);
  } finally {
    await service.close();
  }
});

test("[E25] a damaged outline is said to be, and others are served", async () => {
  const { faults, logger } = faultLog();
  const store = new MemoryStore();
  const load = store.log.load.bind(store.log);
  let damaged: OutlineId | undefined;
  store.log.load = async (outline, after) => {
    if (outline !== damaged) return load(outline, after);
    throw new StoreError("outline_corrupt", "secret: bad checksum at 17", { outline });
  };
  const service = await startService({ store, logger });
  try {
    damaged = (await service.accounts.authenticate(service.key))?.outline;
    const { key: other } = await service.newUser("other");
    const answer = await create(service, "x");
    expect(answer.body).toEqual({
      error: expect.stringContaining("outline check") as unknown,
      code: "outline_corrupt",
      message: expect.stringContaining("outline check") as unknown,
    });
    expect([answer.status, JSON.stringify(answer.body).includes("secret")]).toEqual([500, false]);
    expect(faults.length).toBe(1);
    expect((await create(service, "x", other)).status).toBe(200);
    const settings = await service.request("GET", "/api/v1/keys");
    expect(settings.status).toBe(200);
  } finally {
    await service.close();
  }
});

test("[E26] a fault of the server is 500, says nothing of it, and is logged", async () => {
  const { faults, logger } = faultLog();
  const service = await startService({ logger });
  try {
    service.accounts.listKeys = () => Promise.reject(new TypeError("secret is undefined"));
    const { status, body } = await service.request("GET", "/api/v1/keys");
    const message = "Something went wrong in the server.";
    expect([status, body]).toEqual([500, { error: message, code: "internal", message }]);
    expect(faults).toEqual(["request failed: secret is undefined"]);
    service.accounts.who = () => Promise.reject(new TypeError("secret is undefined"));
    for (const path of ["/api/v1/nodes", "/api/v1/nothing", "/api/v1/nodes/%zz"]) {
      const answer = await service.request("GET", path, undefined, { key: "another-key" });
      expect([path, refusalOf(answer)]).toEqual([path, [500, "internal"]]);
    }
    expect(faults.length).toBe(4);
  } finally {
    await service.close();
  }
});

test("[E39] requests that arrive while the service closes are answered", async () => {
  const service = await startService();
  const { accounts, app, key } = service;
  const who = accounts.who.bind(accounts);
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  let arrived = 0;
  accounts.who = async (credential) => {
    arrived += 1;
    await held;
    return who(credential);
  };
  const connections = [
    await RawConnection.open(service.url),
    await RawConnection.open(service.url),
  ] as const;
  const ask = (connection: RawConnection) =>
    connection.request("GET /api/v1/nodes", { authorization: `Bearer ${key}` });
  try {
    for (const connection of connections) ask(connection);
    await expect.poll(() => arrived).toBe(2);
    const closed = app.close();
    ask(connections[0]);
    goOn();
    for (const connection of [connections[0], connections[1]]) {
      const { status, body } = await connection.answer();
      expect([status, JSON.parse(body)]).toEqual([200, { nodes: [] }]);
    }
    await Promise.all(connections.map((connection) => connection.closed()));
    await closed;
  } finally {
    for (const connection of connections) connection.close();
    await service.close();
  }
});
