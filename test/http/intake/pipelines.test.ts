import { expect, onTestFinished, test } from "vitest";
import { payingNetwork } from "../../../src/charges/payer.ts";
import { RawConnection } from "../../support/raw-http.ts";
import { startService, type ServiceOptions, type TestService } from "../../support/service.ts";

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

/** Lets the first request on `/readyz` be answered when the test says so. */
function holdReadiness(service: TestService) {
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let asked = 0;
  service.store.log.probe = () => {
    asked += 1;
    return finished;
  };
  return { finish, asked: () => asked };
}

test("[Q15] of one connection one request is worked on at a time, and the others are charged", async () => {
  const service = await serviceWith();
  const { finish, asked } = holdReadiness(service);
  const connection = await connectionTo(service);
  connection.request("GET /readyz", {});
  for (let count = 0; count < 9; count += 1) connection.request("GET /api/v1/nodes", {});
  await expect.poll(asked, PATIENT).toBe(1);
  const network = payingNetwork("127.0.0.1");
  await expect.poll(() => service.memory.bytesOf(network), PATIENT).toBe(9 * 4096);
  const text = await service.metrics.metrics();
  expect(text).not.toContain('route="/api/v1/nodes"');
  finish();
  expect((await connection.answer()).status).toBe(200);
  for (let count = 0; count < 9; count += 1) expect((await connection.answer()).status).toBe(401);
  expect(service.memory.bytes).toBe(0);
});

test("[Q15] meanwhile no more of it is read than what had come", async () => {
  const service = await serviceWith();
  const { finish, asked } = holdReadiness(service);
  const connection = await connectionTo(service);
  connection.request("GET /readyz", {});
  connection.request("GET /healthz", {});
  await expect.poll(asked, PATIENT).toBe(1);
  await expect.poll(() => service.memory.bytes, PATIENT).toBe(4096);
  const before = service.memory.bytes;
  for (let count = 0; count < 50; count += 1) connection.request("GET /healthz", {});
  // What another connection sends later is answered: all of the above has come to the server.
  const other = await connectionTo(service);
  other.request("GET /healthz", {});
  expect((await other.answer()).status).toBe(200);
  expect(service.memory.bytes).toBe(before);
  finish();
  for (let count = 0; count < 52; count += 1) expect((await connection.answer()).status).toBe(200);
});

test("[Q15] thousands of requests at once are answered in their order, bodies among them", async () => {
  const service = await serviceWith();
  const connection = await connectionTo(service);
  const authorization = `Bearer ${service.key}`;
  const rounds = 500;
  let bytes = "";
  for (let count = 0; count < rounds; count += 1) {
    const body = JSON.stringify({ weekStart: count % 7 });
    bytes +=
      `GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n` +
      `POST /api/v1/settings HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-length: ${body.length}\r\n\r\n${body}` +
      `GET /api/v1/settings HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n` +
      `GET /nothing HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`;
  }
  connection.write(bytes);
  for (let count = 0; count < rounds; count += 1) {
    const statuses = [(await connection.answer()).status];
    const changed = await connection.answer();
    const read = await connection.answer();
    statuses.push((await connection.answer()).status);
    const settings = { timezone: "UTC", weekStart: count % 7 };
    expect([statuses, JSON.parse(changed.body), JSON.parse(read.body)]).toEqual([
      [200, 404],
      settings,
      settings,
    ]);
  }
  expect(service.memory.bytes).toBe(0);
});

test("[Q15] more than a network may hold is hung up on", async () => {
  const service = await serviceWith({ memoryLimits: { bytesPerPayer: 100 * 4096 } });
  const { finish, asked } = holdReadiness(service);
  const connection = await connectionTo(service);
  connection.request("GET /readyz", {});
  await expect.poll(asked, PATIENT).toBe(1);
  connection.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n".repeat(200));
  await connection.closed();
  expect([service.memory.givenUp, service.memory.bytes]).toEqual([1, 0]);
  finish();
});

test.for([
  ["h2c", "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n"],
  ["a websocket", "GET /sync/me HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"],
  ["a tunnel", "CONNECT x:80 HTTP/1.1\r\nhost: x:80\r\n\r\n"],
])(
  "[E23] who asks for %s before what was asked before is answered is hung up on",
  async ([, bytes]) => {
    const service = await serviceWith();
    const { finish } = holdReadiness(service);
    const connection = await connectionTo(service);
    connection.write(`GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n${bytes}`);
    await expect(connection.answer()).rejects.toThrow('closed after ""');
    await expect.poll(() => service.app.connections.size, PATIENT).toBe(0);
    finish();
    expect((await service.request("GET", "/healthz")).status).toBe(200);
  },
);
