import { once } from "node:events";
import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { payingUser } from "../../../src/charges/payer.ts";
import { ROOT } from "../../../src/core/node-key.ts";
import type { HttpLimits } from "../../../src/http/http-limits.ts";
import { RawConnection } from "../../support/raw-http.ts";
import { startService, type TestService } from "../../support/service.ts";
import { plantWholeAnswer } from "../answer/whole-answer.ts";

const MIB = 1024 * 1024;
/** On a machine that is busy with other things. */
const PATIENT = { timeout: 60_000 };

async function serviceWith(limits: Partial<HttpLimits> = {}): Promise<TestService> {
  const service = await startService({ limits });
  onTestFinished(() => service.close());
  return service;
}

async function connectionTo({ url }: TestService): Promise<RawConnection> {
  const connection = await RawConnection.open(url);
  onTestFinished(() => connection.close());
  return connection;
}

/** More than all buffers on the way hold. */
async function plantLongList(service: TestService): Promise<void> {
  const principal = await service.accounts.authenticate(service.key);
  if (principal === undefined) throw new Error("the key is not valid");
  const name = [{ insert: "x".repeat(MIB) }];
  await service.documents.use(principal.outline, (document) =>
    document.bulk(function* (outline) {
      for (let count = 0; count < 20; count += 1) {
        outline.createPlain({ parent: ROOT, name });
        yield;
      }
    }),
  );
}

/** Connects, and hands out the server's end of the connection. */
async function bothEnds(service: TestService) {
  const [connection, [socket]] = await Promise.all([
    connectionTo(service),
    once(service.app.server, "connection") as Promise<[Socket]>,
  ]);
  /** As when nothing has come or gone for a minute. */
  const stall = () => service.app.server.emit("timeout", socket);
  return { connection, socket, stall };
}

test("[Q11] a client that stops in the middle of a body is hung up on", async () => {
  const service = await serviceWith();
  const { connection, stall } = await bothEnds(service);
  const authorization = `Bearer ${service.key}`;
  connection.request("POST /api/v1/nodes", { authorization, "content-length": "100" });
  connection.write('{"name":');
  await expect.poll(() => service.app.connections.idle, PATIENT).toBe(0);
  stall();
  await connection.closed();
});

test("[Q11] so is one that does not read its answer, and nothing of it stays", async () => {
  const service = await serviceWith();
  await plantLongList(service);
  const { connection, socket, stall } = await bothEnds(service);
  connection.socket.pause();
  const authorization = `Bearer ${service.key}`;
  connection.request("GET /api/v1/nodes", { authorization });
  await expect.poll(() => socket.writableLength, PATIENT).toBeGreaterThan(0);
  expect(service.documents.stats().pinned).toBe(1);
  stall();
  await expect.poll(() => service.app.connections.size, PATIENT).toBe(0);
  await expect.poll(() => service.documents.stats().pinned, PATIENT).toBe(0);
  expect(service.memory.bytes).toBe(0);
});

test("[Q11] a client that waits for the server is not, and one that asks nothing is", async () => {
  const service = await serviceWith();
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  service.store.log.probe = () => finished;
  const waiting = await bothEnds(service);
  const silent = await bothEnds(service);
  waiting.connection.request("GET /readyz", {});
  await expect.poll(() => service.app.connections.idle, PATIENT).toBe(1);
  waiting.stall();
  silent.stall();
  await silent.connection.closed();
  finish();
  expect((await waiting.connection.answer()).status).toBe(200);
});

test("[Q11] so long may a head take, a request, and a connection stay on which nothing is asked", async () => {
  const { app } = await serviceWith();
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = app.server;
  expect({ headersTimeout, requestTimeout, keepAliveTimeout, timeout }).toEqual({
    headersTimeout: 20_000,
    requestTimeout: 120_000,
    keepAliveTimeout: 72_000,
    timeout: 60_000,
  });
  const { app: hasty } = await serviceWith({ requestTimeoutMs: 5000 });
  expect([hasty.server.headersTimeout, hasty.server.requestTimeout]).toEqual([5000, 5000]);
  const { app: patient } = await serviceWith({ requestTimeoutMs: 0 });
  expect([patient.server.headersTimeout, patient.server.requestTimeout]).toEqual([20_000, 0]);
});

test("[Q17] an answer that waits to be read is charged to the user, and given up when it is too much", async () => {
  const service = await startService({ memoryLimits: { bytesPerPayer: MIB } });
  onTestFinished(() => service.close());
  const path = await plantWholeAnswer(service);
  const authorization = `Bearer ${service.key}`;
  const unread = async () => {
    const connection = await connectionTo(service);
    connection.socket.pause();
    // All that is on the way is full before the last is answered.
    for (let count = 0; count < 100; count += 1) {
      connection.request(`GET ${path}`, { authorization });
    }
    return connection;
  };
  for (let count = 0; count < 8; count += 1) await unread();
  await expect.poll(() => service.memory.givenUp, PATIENT).toBeGreaterThan(0);
  const { user } = (await service.accounts.authenticate(service.key)) ?? {};
  if (user === undefined) throw new Error("the key is not valid");
  expect(service.memory.bytesOf(payingUser(user))).toBeLessThanOrEqual(MIB);
  const { key: other } = await service.newUser("other");
  const bystander = await service.request("GET", "/api/v1/nodes", undefined, { key: other });
  expect(bystander.status).toBe(200);
});

test("[Q17] an answer that is read is charged no more", async () => {
  const service = await serviceWith();
  await plantLongList(service);
  const { body } = await service.request("GET", "/api/v1/nodes");
  expect((body as { nodes: unknown[] }).nodes.length).toBe(20);
  await expect.poll(() => service.memory.bytes, PATIENT).toBe(0);
});
