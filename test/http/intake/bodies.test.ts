import { expect, onTestFinished, test } from "vitest";
import type { UserId } from "../../../src/accounts/account-store.ts";
import { payingUser } from "../../../src/charges/payer.ts";
import { RawConnection } from "../../support/raw-http.ts";
import { startService, type ServiceOptions, type TestService } from "../../support/service.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** On a machine that is busy with other things. */
const PATIENT = { timeout: 60_000 };

async function serviceWith(options: ServiceOptions = {}): Promise<TestService> {
  const service = await startService(options);
  onTestFinished(() => service.close());
  return service;
}

async function connectionTo({ url }: TestService): Promise<RawConnection> {
  const connection = await RawConnection.open(url);
  onTestFinished(() => connection.close());
  return connection;
}

/** A request whose body has come but for its last byte. */
async function unfinished(service: TestService, bytes: number, key = service.key) {
  const connection = await connectionTo(service);
  connection.request("POST /api/v1/nodes", {
    authorization: `Bearer ${key}`,
    "content-length": String(bytes + 1),
  });
  const start = '{"name":"x","padding":"';
  connection.write(start + "a".repeat(bytes - start.length - 1) + '"');
  return { connection, finish: () => connection.write("}") };
}

function codeOf({ status, body }: { status: number; body: string }): unknown {
  return [status, (JSON.parse(body) as { code: string }).code];
}

test("[Q12] before anybody is known a body has 1 KiB at most, announced or not", async () => {
  const service = await serviceWith();
  const announced = await connectionTo(service);
  announced.request("POST /session", { "content-length": String(10 * MIB) });
  expect(codeOf(await announced.answer())).toEqual([413, "too_large"]);
  const growing = await connectionTo(service);
  growing.request("POST /session", { "transfer-encoding": "chunked" });
  growing.write(`400\r\n${" ".repeat(KIB)}\r\n`);
  growing.write(`1\r\n \r\n`);
  expect(codeOf(await growing.answer())).toEqual([413, "too_large"]);
  expect(service.memory.bytes).toBe(0);
  const { status } = await service.request("POST", "/session", { key: service.key }, { key: null });
  expect(status).toBe(200);
});

test("[Q12] a body without texts has 64 KiB at most", async () => {
  const service = await serviceWith();
  const { body } = await service.request("POST", "/api/v1/nodes", { name: "x" });
  const { item_id: id } = body as { item_id: string };
  const padded = (bytes: number) => ({ padding: "a".repeat(bytes) });
  for (const path of [`/api/v1/nodes/${id}/complete`, "/api/v1/settings"]) {
    expect((await service.request("POST", path, padded(63 * KIB))).status).toBe(200);
    expect((await service.request("POST", path, padded(64 * KIB))).status).toBe(413);
  }
});

test("[Q12] what has come of a body is charged to the user, from 16 KiB on, until it is answered", async () => {
  const service = await serviceWith();
  const holder = payingUser(service.user);
  const small = await unfinished(service, 15 * KIB);
  const { connection, finish } = await unfinished(service, 100 * KIB);
  await expect.poll(() => service.memory.bytesOf(holder), PATIENT).toBe(2 * 100 * KIB);
  finish();
  expect((await connection.answer()).status).toBe(200);
  await expect.poll(() => service.memory.bytes, PATIENT).toBe(0);
  small.finish();
  expect((await small.connection.answer()).status).toBe(200);
});

test("[Q12] who leaves in the middle of a body leaves nothing behind", async () => {
  const service = await serviceWith();
  const { connection } = await unfinished(service, 100 * KIB);
  await expect.poll(() => service.memory.bytes, PATIENT).toBe(2 * 100 * KIB);
  connection.close();
  await expect.poll(() => service.memory.bytes, PATIENT).toBe(0);
});

test("[Q12] where a user sends too much at once the largest is given up, the oldest of equal ones", async () => {
  const service = await serviceWith({ memoryLimits: { bytesPerPayer: MIB } });
  const first = await unfinished(service, 200 * KIB);
  const second = await unfinished(service, 200 * KIB);
  await expect.poll(() => service.memory.bytes, PATIENT).toBe(800 * KIB);
  const third = await unfinished(service, 150 * KIB);
  const answer = await first.connection.answer();
  expect([codeOf(answer), answer.headers.get("retry-after")]).toEqual([[503, "unavailable"], "1"]);
  await expect.poll(() => service.memory.bytes, PATIENT).toBe(700 * KIB);
  // What is left of it is skipped: the connection is good for more.
  first.finish();
  const authorization = `Bearer ${service.key}`;
  first.connection.request("GET /api/v1/nodes", { authorization });
  expect(JSON.parse((await first.connection.answer()).body)).toEqual({ nodes: [] });
  for (const { connection, finish } of [second, third]) {
    finish();
    expect((await connection.answer()).status).toBe(200);
  }
});

test("[Q12] where all have too much, whoever has little loses nothing", async () => {
  const service = await serviceWith({ memoryLimits: { bytesPerPayer: MIB, bytesInAll: MIB } });
  const { key: other } = await service.newUser("other");
  const greedy = await unfinished(service, 400 * KIB);
  await expect.poll(() => service.memory.bytes, PATIENT).toBe(800 * KIB);
  const modest = await unfinished(service, 200 * KIB, other);
  expect(codeOf(await greedy.connection.answer())).toEqual([503, "unavailable"]);
  modest.finish();
  expect((await modest.connection.answer()).status).toBe(200);
});

/** Long requests of the first user that wait for the one that is in work until `release` is called. */
async function heldBack(service: TestService) {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const { documents, memory } = service;
  const open = documents.open.bind(documents);
  documents.open = async (id) => {
    await released;
    return open(id);
  };
  const send = async (bytes: number, key = service.key) => {
    const before = memory.bytes;
    const { connection, finish } = await unfinished(service, bytes, key);
    finish();
    await expect.poll(() => memory.bytes, PATIENT).toBe(before + 2 * (bytes + 1));
    return connection;
  };
  return { send, release };
}

async function namesIn(service: TestService): Promise<number> {
  const { body } = await service.request("GET", "/api/v1/nodes");
  return (body as { nodes: unknown[] }).nodes.length;
}

test("[Q12, Q13] a request whose body was given up while it waited does nothing", async () => {
  const service = await serviceWith({ memoryLimits: { bytesPerPayer: MIB } });
  const { send, release } = await heldBack(service);
  const working = await send(150 * KIB);
  const waiting = await send(200 * KIB);
  const next = await unfinished(service, 180 * KIB);
  await expect.poll(() => service.memory.givenUp, PATIENT).toBe(1);
  release();
  expect((await working.answer()).status).toBe(200);
  expect(codeOf(await waiting.answer())).toEqual([503, "unavailable"]);
  next.finish();
  expect((await next.connection.answer()).status).toBe(200);
  expect(await namesIn(service)).toBe(2);
});

test("[A6, Q13] a request that waited for its turn does nothing when its key was revoked meanwhile", async () => {
  const service = await serviceWith();
  const { send, release } = await heldBack(service);
  const user = service.user as UserId;
  const created = await service.accounts.createKey(user, { name: "lost" });
  if (created.kind !== "created") throw new Error(created.kind);
  const working = await send(150 * KIB);
  const waiting = await send(100 * KIB, created.key);
  await service.accounts.revokeKey(user, created.id);
  release();
  expect((await working.answer()).status).toBe(200);
  expect(codeOf(await waiting.answer())).toEqual([401, "unauthorized"]);
  expect(await namesIn(service)).toBe(1);
});

test("[Q18] a body of more than 1,000 values is refused before all of it has come", async () => {
  const service = await serviceWith();
  const { connection } = await (async () => {
    const opened = await connectionTo(service);
    opened.request("POST /api/v1/nodes", {
      authorization: `Bearer ${service.key}`,
      "content-length": String(10 * MIB),
    });
    opened.write(`{"name":"x","list":[${"1,".repeat(100 * KIB)}`);
    return { connection: opened };
  })();
  expect(codeOf(await connection.answer())).toEqual([400, "invalid_request"]);
});

test("[Q18] so is one of more escaped characters than its texts may have", async () => {
  const service = await serviceWith({ limits: { textBytes: 10_000 } });
  const nodes = async (name: string) =>
    (await service.request("POST", "/api/v1/nodes", { name })).status;
  // Each is two characters in JSON.
  expect(await nodes("\n".repeat(9_000))).toBe(200);
  expect(await nodes("\n".repeat(40_000))).toBe(413);
});

test("[Q18] a body that comes in very small pieces is refused, and its connection ends", async () => {
  const service = await serviceWith();
  const connection = await connectionTo(service);
  const authorization = `Bearer ${service.key}`;
  connection.request("POST /api/v1/nodes", { authorization, "transfer-encoding": "chunked" });
  connection.write("1\r\n \r\n".repeat(20_000));
  expect(codeOf(await connection.answer())).toEqual([400, "invalid_request"]);
  await connection.closed();
});

test("[Q18] a thousand small pieces are nobody's attack", async () => {
  const service = await serviceWith();
  const connection = await connectionTo(service);
  const authorization = `Bearer ${service.key}`;
  connection.request("POST /api/v1/nodes", { authorization, "transfer-encoding": "chunked" });
  const body = JSON.stringify({ name: "x".repeat(900) });
  for (const character of body) connection.write(`1\r\n${character}\r\n`);
  connection.write("0\r\n\r\n");
  expect((await connection.answer()).status).toBe(200);
});
