import { randomBytes } from "node:crypto";
import { describe, expect, onTestFinished } from "vitest";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import { newMemoryDisk } from "../support/memory-store/memory-disk.ts";
import { startService, type ServiceAnswer, type TestService } from "../support/service.ts";
import { faultyService } from "./faulty-service.ts";
import { test } from "./http-test.ts";
import { connected } from "./mcp-client.ts";

const newKey = (): string => randomBytes(8).toString("hex");
const MILK = { name: "milk", position: "bottom" };

interface Asked {
  readonly once?: string;
  readonly key?: string;
}

async function post(
  service: TestService,
  path: string,
  body: unknown,
  { once = newKey(), key }: Asked = {},
): Promise<ServiceAnswer> {
  const headers = { "idempotency-key": once };
  const options = key === undefined ? { headers } : { headers, key };
  return service.request("POST", `/api/v1${path}`, body, options);
}

async function namesOf(service: TestService, key = service.key): Promise<readonly string[]> {
  const { body } = await service.request("GET", "/api/v1/nodes", undefined, { key });
  return (body as { nodes: readonly { name: string }[] }).nodes.map(({ name }) => name);
}

const isReplay = ({ headers }: ServiceAnswer): boolean =>
  headers.get("idempotent-replayed") === "true";

/** Of all outlines, on the disk. */
async function countOfReceipts({ store: { log } }: TestService): Promise<number> {
  let count = 0;
  for await (const outline of log.outlines()) count += (await log.receipts(outline)).length;
  return count;
}

describe("[U60] with an Idempotency-Key", () => {
  test("the same request is done once, whatever it is, and answered as it was", async ({
    service,
  }) => {
    const { key } = await service.newUser("once-all");
    const make = async (name: string): Promise<string> => {
      const { body } = await service.request("POST", "/api/v1/nodes", { name }, { key });
      return (body as { item_id: string }).item_id;
    };
    const [id, parent, gone] = [await make("a"), await make("b"), await make("c")];
    const requests: readonly [method: string, path: string, body?: unknown][] = [
      ["POST", "/api/v1/nodes", { name: "made" }],
      ["POST", "/api/v1/nodes", { name: `long ${"x".repeat(20_000)}` }],
      ["POST", `/api/v1/nodes/${id}`, { name: "renamed" }],
      ["POST", `/api/v1/nodes/${id}`, { name: `renamed ${"y".repeat(20_000)}` }],
      ["POST", `/api/v1/nodes/${id}/move`, { parent_id: parent }],
      ["POST", `/api/v1/nodes/${id}/complete`],
      ["POST", `/api/v1/nodes/${id}/complete`],
      ["POST", `/api/v1/nodes/${id}/uncomplete`],
      ["DELETE", `/api/v1/nodes/${gone}`],
      ["POST", "/api/v1/batch", { operations: [{ op: "create", name: "in a batch" }] }],
      [
        "POST",
        "/api/llm/doc/edit",
        { operations: [{ op: "insert", under: "None", items: [{ n: "i" }] }] },
      ],
      ["POST", "/api/v1/targets", { key: "work", id: parent }],
      ["DELETE", "/api/v1/targets/work"],
      ["POST", "/api/v1/settings", { timezone: "Europe/Paris" }],
    ];
    for (const [method, path, body] of requests) {
      const headers = { "idempotency-key": newKey() };
      const ask = () => service.request(method, path, body, { key, headers });
      const first = await ask();
      expect([path, first.status, isReplay(first)]).toEqual([path, 200, false]);
      const { body: all } = await service.request("GET", "/api/v1/nodes-export", undefined, {
        key,
      });
      const again = await ask();
      expect([again.status, isReplay(again)]).toEqual([200, true]);
      expect(again.body).toEqual(first.body);
      const now = await service.request("GET", "/api/v1/nodes-export", undefined, { key });
      expect(now.body).toEqual(all);
    }
  });

  test("each key of the API has its own, and other keys are other requests", async ({
    service,
  }) => {
    const { key } = await service.newUser("once-keys");
    const { body } = await service.request("POST", "/api/v1/keys", { name: "other" }, { key });
    const other = (body as { key: string }).key;
    const once = newKey();
    for (const asked of [
      { once, key },
      { once, key: other },
      { once: newKey(), key },
    ]) {
      const answer = await post(service, "/nodes", MILK, asked);
      expect([answer.status, isReplay(answer)]).toEqual([200, false]);
    }
    expect(await namesOf(service, key)).toEqual(["milk", "milk", "milk"]);
  });

  test("it is known after a restart", async () => {
    const disk = newMemoryDisk();
    const once = newKey();
    const first = await startService({ store: new MemoryStore({ disk }) });
    const { key } = first;
    const done = await post(first, "/nodes", MILK, { once });
    await first.close();
    const second = await startService({ store: new MemoryStore({ disk }) });
    onTestFinished(() => second.close());
    const again = await post(second, "/nodes", MILK, { once, key });
    expect([again.body, isReplay(again)]).toEqual([done.body, true]);
    expect(await namesOf(second, key)).toEqual(["milk"]);
  });

  test("it is done once when its answer was lost behind the change", async () => {
    const { service, log } = await faultyService();
    await service.request("POST", "/api/v1/nodes", { name: "before" });
    for (const [path, body] of [
      ["/nodes", MILK],
      ["/batch", { operations: [{ op: "create", name: "oats", position: "bottom" }] }],
    ] as const) {
      const once = newKey();
      // Which receipts there are is known then, and only the append is lied about.
      await post(service, "/settings", { weekStart: 1 });
      log.fault = "lie";
      expect((await post(service, path, body, { once })).status).toBe(503);
      log.recover();
      await expect.poll(() => service.documents.stats().isStoreWorking).toBe(true);
      const again = await post(service, path, body, { once });
      expect([again.status, isReplay(again)]).toEqual([200, true]);
    }
    expect(await namesOf(service)).toEqual(["before", "milk", "oats"]);
  });

  test("it is done when the change was lost, with what was to be known of it", async () => {
    const { service, log } = await faultyService();
    const once = newKey();
    await namesOf(service);
    log.fault = "fail";
    expect((await post(service, "/nodes", MILK, { once })).status).toBe(503);
    log.recover();
    await expect.poll(() => service.documents.stats().isStoreWorking).toBe(true);
    const again = await post(service, "/nodes", MILK, { once });
    expect([again.status, isReplay(again)]).toEqual([200, false]);
    expect(await namesOf(service)).toEqual(["milk"]);
  });

  test("one that is none is 400", async ({ service }) => {
    for (const once of ["x".repeat(256), "two words", "é"]) {
      const headers = { "idempotency-key": Buffer.from(once).toString("latin1") };
      const answer = await service.request("POST", "/api/v1/nodes", MILK, { headers });
      expect([once, answer.status, answer.body]).toMatchObject([
        once,
        400,
        { code: "invalid_request" },
      ]);
    }
    expect((await post(service, "/nodes", MILK, { once: "x".repeat(255) })).status).toBe(200);
  });
});

describe("[U61]", () => {
  test("another request with the same key is 422, by its body, address or method", async ({
    service,
  }) => {
    const { key } = await service.newUser("once-reused");
    const once = newKey();
    const { body } = await post(service, "/nodes", MILK, { once, key });
    const id = (body as { item_id: string }).item_id;
    const headers = { "idempotency-key": once };
    for (const [method, path, other] of [
      ["POST", "/nodes", { ...MILK, name: "oats" }],
      ["POST", `/nodes/${id}`, MILK],
      ["POST", "/batch", { operations: [{ op: "delete", id }] }],
      ["DELETE", `/nodes/${id}`, MILK],
    ] as const) {
      const answer = await service.request(method, `/api/v1${path}`, other, { key, headers });
      expect([answer.status, answer.body]).toMatchObject([422, { code: "idempotency_key_reused" }]);
    }
    expect(await namesOf(service, key)).toEqual(["milk"]);
  });

  test("[U53] a dry run is judged anew, and what it judged can be done with its key", async ({
    service,
  }) => {
    const { key } = await service.newUser("once-dry");
    const once = newKey();
    const made = await post(service, "/nodes", MILK, { key });
    const { item_id: id } = made.body as { item_id: string };
    const operations = [{ op: "delete", id }];
    const ask = (body: object) => post(service, "/batch", { operations, ...body }, { once, key });
    const receipts = await countOfReceipts(service);
    for (let count = 0; count < 2; count += 1) {
      const judged = await ask({ dry_run: true });
      expect([judged.status, isReplay(judged)]).toEqual([200, false]);
    }
    expect(await countOfReceipts(service)).toBe(receipts);
    expect((await ask({})).status).toBe(200);
    expect(await namesOf(service, key)).toEqual([]);
  });

  test("while the first is in work, the same is 409 and another 422", async () => {
    const { service, log } = await faultyService();
    await namesOf(service);
    const once = newKey();
    log.fault = "hang";
    const first = post(service, "/nodes", MILK, { once });
    await expect.poll(() => log.waiting).toBe(1);
    const same = await post(service, "/nodes", MILK, { once });
    expect([same.status, same.body]).toMatchObject([409, { code: "in_progress" }]);
    expect(same.headers.get("retry-after")).toBe("1");
    expect((await post(service, "/nodes", { name: "oats" }, { once })).status).toBe(422);
    log.recover();
    expect((await first).status).toBe(200);
    expect(isReplay(await post(service, "/nodes", MILK, { once }))).toBe(true);
    expect(await namesOf(service)).toEqual(["milk"]);
  });

  test("of many that come at once one is done", async ({ service }) => {
    const { key } = await service.newUser("once-race");
    const once = newKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(service, "/nodes", MILK, { once, key })),
    );
    const done = answers.filter((answer) => answer.status === 200 && !isReplay(answer));
    expect(done.length).toBe(1);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(await namesOf(service, key)).toEqual(["milk"]);
  });

  test("what was refused is judged anew", async ({ service }) => {
    const { key } = await service.newUser("once-refused");
    const once = newKey();
    const body = { ...MILK, parent_id: "later" };
    expect((await post(service, "/nodes", body, { once, key })).status).toBe(404);
    const made = await service.request("POST", "/api/v1/nodes", { name: "place" }, { key });
    const target = { key: "later", id: (made.body as { item_id: string }).item_id };
    await service.request("POST", "/api/v1/targets", target, { key });
    const answer = await post(service, "/nodes", body, { once, key });
    expect([answer.status, isReplay(answer)]).toEqual([200, false]);
  });
});

describe("[U60, U62, Q77] what is kept", () => {
  test("is forgotten after 24 hours", async () => {
    let now = Date.now();
    const service = await startService({ now: () => now });
    onTestFinished(() => service.close());
    const once = newKey();
    await post(service, "/nodes", MILK, { once });
    now += 24 * 60 * 60_000 - 1;
    expect(isReplay(await post(service, "/nodes", MILK, { once }))).toBe(true);
    now += 1;
    expect(isReplay(await post(service, "/nodes", MILK, { once }))).toBe(false);
    expect(isReplay(await post(service, "/nodes", MILK, { once }))).toBe(true);
    expect(await namesOf(service)).toEqual(["milk", "milk"]);
    expect(await countOfReceipts(service)).toBe(1);
  });

  test.for([
    { what: "answers", documentLimits: { maxReceipts: 3 } },
    { what: "bytes", documentLimits: { maxReceiptBytes: 3 * 110 } },
  ])("is bounded by $what: the oldest go", async ({ documentLimits }) => {
    const disk = newMemoryDisk();
    const start = () => startService({ store: new MemoryStore({ disk }), documentLimits });
    const first = await start();
    const { key } = first;
    const keys = Array.from({ length: 5 }, newKey);
    for (const once of keys.slice(0, 4)) await post(first, "/nodes", MILK, { once });
    await first.close();
    const service = await start();
    onTestFinished(() => service.close());
    // The bounds hold over a restart.
    await post(service, "/nodes", MILK, { once: keys[4] ?? "", key });
    const replayed: boolean[] = [];
    for (const once of keys.toReversed()) {
      replayed.push(isReplay(await post(service, "/nodes", MILK, { once, key })));
      if (replayed.length === 3) break;
    }
    expect(replayed).toEqual([true, true, true]);
    expect(isReplay(await post(service, "/nodes", MILK, { once: keys[1] ?? "", key }))).toBe(false);
    expect(await countOfReceipts(service)).toBe(3);
  });
});

test("[U63] keys and sessions take no Idempotency-Key", async ({ service }) => {
  const headers = { "idempotency-key": newKey() };
  for (const [method, path, body] of [
    ["POST", "/api/v1/keys", { name: "k" }],
    ["DELETE", "/api/v1/keys/key_x", undefined],
    ["DELETE", "/sessions", undefined],
  ] as const) {
    const answer = await service.request(method, path, body, { headers });
    expect([path, answer.status, answer.body]).toMatchObject([
      path,
      400,
      { code: "invalid_request" },
    ]);
  }
});

test("[J8] an assistant's edit and addition are done once with an idempotency_key", async ({
  service,
}) => {
  const { key } = await service.newUser("once-mcp");
  const assistant = await connected(service, { key, mode: "auto" });
  const [add, edit] = [newKey(), newKey()];
  const calls = [
    ["outline_add", { text: "milk", to: "None", idempotency_key: add }],
    ["outline_edit", { operations: [{ op: "create", name: "oats" }], idempotency_key: edit }],
  ] as const;
  for (const [tool, input] of calls) {
    const first = await assistant.tool(tool, input);
    const again = await assistant.tool(tool, input);
    expect(first.isError).toBe(false);
    expect(again).toEqual(first);
  }
  const reused = await assistant.tool("outline_add", { text: "tea", idempotency_key: add });
  expect(reused.isError).toBe(true);
  expect((await namesOf(service, key)).toSorted()).toEqual(["milk", "oats"]);
});
