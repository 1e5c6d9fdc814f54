import { expect, onTestFinished } from "vitest";
import { RawConnection } from "../../support/raw-http.ts";
import type { TestService } from "../../support/service.ts";
import { test } from "../http-test.ts";

const MIB = 1024 * 1024;

async function connectionTo({ url }: TestService): Promise<RawConnection> {
  const connection = await RawConnection.open(url);
  onTestFinished(() => connection.close());
  return connection;
}

const INVALID = {
  error: expect.any(String) as unknown,
  code: "invalid_request",
  message: expect.any(String) as unknown,
};

test.for([
  ["nonsense", "nonsense\r\n\r\n"],
  ["a TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["an unknown method", "NONSENSE / HTTP/1.1\r\nhost: x\r\n\r\n"],
  ["a header without a name", "GET / HTTP/1.1\r\nhost: x\r\n: x\r\n\r\n"],
  ["two lengths", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
  [
    "a length and chunks",
    "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["a tunnel", "CONNECT x:80 HTTP/1.1\r\nhost: x:80\r\n\r\nwhat would go through it"],
  ["a long path", `GET /api/v1/nodes/${"a".repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
  ["a long header", `GET / HTTP/1.1\r\nhost: x\r\nx: ${"a".repeat(20_000)}\r\n\r\n`],
] as const)("[E23] %s is answered 400 and hung up on", async ([, bytes], { service }) => {
  const connection = await connectionTo(service);
  connection.write(Buffer.from(bytes, "latin1"));
  const { status, headers, body } = await connection.answer();
  expect([status, headers.get("content-type")]).toEqual([400, "application/json; charset=utf-8"]);
  expect(JSON.parse(body)).toEqual(INVALID);
  await connection.closed();
  expect((await service.request("GET", "/healthz")).status).toBe(200);
});

test.for([
  ["nonsense", "", "nonsense\r\n\r\n"],
  ["a request after the last one", "connection: close\r\n", "GET / HTTP/1.1\r\n\r\n"],
  ["chunks that are none", "", "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nx\r\n"],
] as const)(
  "[E23] what was asked before %s is done and answered first",
  async ([, header, bytes], { service }) => {
    const connection = await connectionTo(service);
    const authorization = `authorization: Bearer ${service.key}`;
    const head = `host: x\r\n${authorization}\r\ncontent-length: 12\r\n${header}`;
    connection.write(`POST /api/v1/nodes HTTP/1.1\r\n${head}\r\n{"name":"x"}${bytes}`);
    const { status, body } = await connection.answer();
    expect([status, JSON.parse(body)]).toEqual([200, { item_id: expect.any(String) as unknown }]);
    if (header === "") expect((await connection.answer()).status).toBe(400);
    await connection.closed();
  },
);

test("[E19] a path as a whole address, one that is only a star, and no host do no harm", async ({
  service,
}) => {
  const connection = await connectionTo(service);
  const authorization = `Bearer ${service.key}`;
  connection.request("GET http://outline.test/api/v1/nodes", { authorization });
  expect((await connection.answer()).status).toBe(200);
  connection.request("OPTIONS *", { authorization });
  expect((await connection.answer()).status).toBe(404);
  connection.write(`GET /api/v1/nodes HTTP/1.1\r\nauthorization: ${authorization}\r\n\r\n`);
  expect((await connection.answer()).status).toBe(200);
});

test("[E27] after a refusal the same connection serves the next request", async ({ service }) => {
  const connection = await connectionTo(service);
  const authorization = `Bearer ${service.key}`;
  for (const [line, headers, body, status] of [
    ["POST /api/v1/nodes", { authorization }, "nonsense", 400],
    ["POST /api/v1/nodes", {}, '{"name":"x"}', 401],
    ["POST /api/v1/nothing", { authorization }, '{"name":"x"}', 404],
    ["PUT /api/v1/nodes", { authorization }, '{"name":"x"}', 405],
    ["POST /api/v1/nodes", { authorization }, '{"name":5}', 400],
    ["GET /api/v1/nodes/%zz", { authorization }, "", 400],
    ["GET /api/v1/nodes", { authorization }, "", 200],
  ] as const) {
    connection.request(line, headers, body);
    const answer = await connection.answer();
    expect([line, answer.status]).toEqual([line, status]);
    expect(answer.headers.get("connection")).not.toBe("close");
  }
});

test("[E27] a body over the limit is answered at once, and the rest of it skipped", async ({
  service,
}) => {
  const connection = await connectionTo(service);
  const authorization = `Bearer ${service.key}`;
  const size = 24 * MIB;
  connection.request("POST /api/v1/nodes", { authorization, "content-length": String(size) });
  const { status, body } = await connection.answer();
  expect([status, JSON.parse(body)]).toEqual([413, { ...INVALID, code: "too_large" }]);
  connection.write(Buffer.alloc(size, " "));
  connection.request("GET /api/v1/nodes", { authorization });
  expect((await connection.answer()).status).toBe(200);
});

test("[E27] so is one in chunks, once it is over the limit", async ({ service }) => {
  const connection = await connectionTo(service);
  const authorization = `Bearer ${service.key}`;
  connection.request("POST /api/v1/nodes", { authorization, "transfer-encoding": "chunked" });
  const chunk = `${MIB.toString(16)}\r\n${" ".repeat(MIB)}\r\n`;
  for (let sent = 0; sent < 11; sent += 1) connection.write(chunk);
  expect((await connection.answer()).status).toBe(413);
  connection.write(`${chunk}0\r\n\r\n`);
  connection.request("GET /api/v1/nodes", { authorization });
  expect((await connection.answer()).status).toBe(200);
});

test("[E27] requests in a pipeline are answered in their order", async ({ service }) => {
  const connection = await connectionTo(service);
  const authorization = `Bearer ${service.key}`;
  const paths = ["/nodes", "/nothing", "/targets", "/nodes/%zz", "/settings"];
  for (const path of paths) connection.request(`GET /api/v1${path}`, { authorization });
  const statuses: number[] = [];
  for (const _ of paths) statuses.push((await connection.answer()).status);
  expect(statuses).toEqual([200, 404, 200, 400, 200]);
});

test("[E19] who leaves in the middle of a body does no harm", async ({ service }) => {
  const connection = await connectionTo(service);
  const authorization = `Bearer ${service.key}`;
  connection.request("POST /api/v1/nodes", { authorization, "content-length": "100" });
  connection.write('{"name":"half');
  connection.close();
  await connection.closed();
  expect((await service.request("GET", "/api/v1/nodes")).status).toBe(200);
});

test("[E19] an expectation that means nothing is ignored", async ({ service }) => {
  const connection = await connectionTo(service);
  const headers = { authorization: `Bearer ${service.key}`, expect: "nonsense" };
  connection.request("GET /api/v1/nodes", headers);
  expect((await connection.answer()).status).toBe(200);
});

test("[E19] an offer to speak HTTP/2 instead is ignored, and the body is read", async ({
  service,
}) => {
  const connection = await connectionTo(service);
  const headers = {
    authorization: `Bearer ${service.key}`,
    connection: "Upgrade, HTTP2-Settings",
    upgrade: "h2c",
    "http2-settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
  };
  const marker = "ünïcode ".repeat(7_000).trim();
  connection.request("POST /api/v1/nodes", headers, JSON.stringify({ name: marker }));
  const created = await connection.answer();
  expect(created.status).toBe(200);
  const { item_id: id } = JSON.parse(created.body) as { item_id: string };
  connection.request(`GET /api/v1/nodes/${id}`, headers);
  const read = await connection.answer();
  expect((JSON.parse(read.body) as { node: { name: string } }).node.name).toBe(marker);
});
