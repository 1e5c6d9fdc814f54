import { expect, onTestFinished, test } from "vitest";
import type { HttpLimits } from "../../../src/http/http-limits.ts";
import { RawConnection } from "../../support/raw-http.ts";
import { startService, type TestService } from "../../support/service.ts";

/** On a machine that is busy with other things. */
const PATIENT = { timeout: 60_000 };

async function serviceWith(limits: Partial<HttpLimits>): Promise<TestService> {
  const service = await startService({ limits });
  onTestFinished(() => service.close());
  return service;
}

/** A connection that the server has counted. */
async function connectionTo(service: TestService): Promise<RawConnection> {
  const { connections } = service.app;
  const before = connections.opened;
  const connection = await RawConnection.open(service.url);
  onTestFinished(() => connection.close());
  await expect.poll(() => connections.opened, PATIENT).toBeGreaterThan(before);
  return connection;
}

/** One on which a request has been answered, so that it is idle again. */
async function usedConnection(service: TestService): Promise<RawConnection> {
  const connection = await connectionTo(service);
  await ask(connection);
  return connection;
}

async function ask(connection: RawConnection, headers: Record<string, string> = {}) {
  connection.request("GET /healthz", headers);
  return (await connection.answer()).status;
}

/** One whose request is being worked on until `finish` is called. */
async function busyConnection(service: TestService, headers: Record<string, string> = {}) {
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let hasBegun = false;
  service.store.log.probe = () => {
    hasBegun = true;
    return finished;
  };
  const connection = await connectionTo(service);
  connection.request("GET /readyz", headers);
  await expect.poll(() => hasBegun, PATIENT).toBe(true);
  return { connection, finish };
}

test("[Q10] where a network has too many connections, the one that is idle longest goes", async () => {
  const service = await serviceWith({ connectionsPerAddress: 3 });
  const first = await usedConnection(service);
  const second = await usedConnection(service);
  const third = await usedConnection(service);
  await ask(first);
  const fourth = await connectionTo(service);
  await second.closed();
  for (const connection of [first, third, fourth]) expect(await ask(connection)).toBe(200);
  expect(service.app.connections.size).toBe(3);
});

test("[Q10] one that has not asked anything yet is idle too, with half a head or without", async () => {
  const service = await serviceWith({ connectionsPerAddress: 2 });
  const silent = await connectionTo(service);
  const slow = await connectionTo(service);
  slow.write("GET /healthz HTTP/1.1\r\nhost: ");
  const third = await connectionTo(service);
  await silent.closed();
  const fourth = await connectionTo(service);
  await slow.closed();
  expect([await ask(third), await ask(fourth)]).toEqual([200, 200]);
});

test("[Q10] one whose client keeps the server waiting goes when none is idle", async () => {
  const service = await serviceWith({ connectionsPerAddress: 2 });
  const { connection: busy, finish } = await busyConnection(service);
  const sending = await connectionTo(service);
  const authorization = `Bearer ${service.key}`;
  sending.request("POST /api/v1/nodes", { authorization, "content-length": "100" });
  sending.write('{"name":');
  await expect.poll(() => service.app.connections.idle, PATIENT).toBe(0);
  const third = await connectionTo(service);
  await sending.closed();
  expect(await ask(third)).toBe(200);
  finish();
  expect((await busy.answer()).status).toBe(200);
});

test("[Q10] where all are at work a new one is refused, and says when to come again", async () => {
  const service = await serviceWith({ connectionsPerAddress: 1 });
  const { connection: busy, finish } = await busyConnection(service);
  const refused = await RawConnection.open(service.url);
  const { status, headers, body } = await refused.answer();
  expect([status, headers.get("retry-after"), JSON.parse(body)]).toEqual([
    429,
    "5",
    expect.objectContaining({ code: "rate_limited", retry_after: 5 }),
  ]);
  await refused.closed();
  finish();
  expect((await busy.answer()).status).toBe(200);
  expect(await ask(busy)).toBe(200);
});

test("[Q10] all networks together have a limit as well", async () => {
  const service = await serviceWith({ connectionsInAll: 2 });
  const first = await usedConnection(service);
  const second = await usedConnection(service);
  const third = await connectionTo(service);
  await first.closed();
  expect([await ask(second), await ask(third)]).toEqual([200, 200]);
});

test("[Q10] where all are at work in all, a new one is told that there is no room", async () => {
  const service = await serviceWith({ connectionsInAll: 1 });
  const { finish } = await busyConnection(service);
  const refused = await RawConnection.open(service.url);
  const { status, headers } = await refused.answer();
  expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
  finish();
});

test("[Q10] those of a trusted proxy are not limited, but the requests of each client behind it", async () => {
  const service = await serviceWith({
    connectionsPerAddress: 1,
    trustedProxies: "127.0.0.1",
  });
  const { connection: busy, finish } = await busyConnection(service, {
    "x-forwarded-for": "192.0.2.1",
  });
  const other = await connectionTo(service);
  expect(await ask(other, { "x-forwarded-for": "192.0.2.1" })).toBe(429);
  // The connection is the proxy's: it goes on with others.
  expect(await ask(other, { "x-forwarded-for": "192.0.2.2" })).toBe(200);
  finish();
  expect((await busy.answer()).status).toBe(200);
  expect(await ask(other, { "x-forwarded-for": "192.0.2.1" })).toBe(200);
});

test("[Q10] a websocket counts no more as soon as it is one", async () => {
  const service = await serviceWith({ connectionsPerAddress: 1 });
  const websocket = await connectionTo(service);
  websocket.write(
    [
      "GET /sync/me HTTP/1.1",
      "host: outline.test",
      "connection: upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
      `sec-websocket-protocol: yjs, ${service.key}`,
      "\r\n",
    ].join("\r\n"),
  );
  await expect.poll(() => service.sync.sessions(), PATIENT).toBe(1);
  await expect.poll(() => service.app.connections.size, PATIENT).toBe(0);
  const other = await connectionTo(service);
  expect(await ask(other)).toBe(200);
  expect(service.sync.sessions()).toBe(1);
});

test("[Q10] connections that have gone leave nothing behind", async () => {
  const service = await serviceWith({});
  for (let count = 0; count < 5; count += 1) (await usedConnection(service)).close();
  await expect.poll(() => service.app.connections.size, PATIENT).toBe(0);
  expect(service.app.connections.networks).toBe(0);
});
