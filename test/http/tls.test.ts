import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { HttpLimits } from "../../src/http/http-limits.ts";
import { startService, type TestService } from "../support/service.ts";

const FIXTURES = new URL("../fixtures/tls/", import.meta.url);

/** A certificate that signs itself, good for a hundred years and for this machine's names. */
async function certificate(name: "first" | "second"): Promise<{ cert: string; key: string }> {
  const [cert, key] = await Promise.all(
    ["cert", "key"].map((part) => readFile(new URL(`${name}.${part}.pem`, FIXTURES), "utf8")),
  );
  return { cert: cert ?? "", key: key ?? "" };
}

const CA = (await certificate("first")).cert;

async function secureService(limits: Partial<HttpLimits> = {}): Promise<TestService> {
  const service = await startService({
    tls: await certificate("first"),
    limits: { exportLimitMs: 0, ...limits },
  });
  onTestFinished(() => service.close());
  return service;
}

interface Sent {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(
  { url, key }: TestService,
  method: string,
  path: string,
  { body, headers }: Sent = {},
): Promise<IncomingMessage & { readonly text: string }> {
  const all = { authorization: `Bearer ${key}`, ...headers };
  const request = httpsRequest(url + path, { method, headers: all, ca: CA, agent: false });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return Object.assign(response, { text: (await buffer(response)).toString() });
}

/** A connection that has agreed on TLS. */
async function agreed({ url }: TestService): Promise<TLSSocket> {
  const socket = connectTls({ port: Number(new URL(url).port), host: "127.0.0.1", ca: CA });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  return socket;
}

/** One that has said nothing yet, once the server has counted it. */
async function silent(service: TestService): Promise<Socket> {
  const { connections } = service.app;
  const before = connections.opened;
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await expect.poll(() => connections.opened).toBeGreaterThan(before);
  return socket;
}

const HEALTH = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

test("[E47, E22] requests are served by TLS, and browsers told to come by it", async () => {
  const service = await secureService();
  const name = "long name ".repeat(5_000).trim();
  const made = await send(service, "POST", "/api/v1/nodes", { body: { name } });
  expect(made.statusCode).toBe(200);
  expect(made.headers["strict-transport-security"]).toBe("max-age=31536000");
  const all = JSON.parse((await send(service, "GET", "/api/v1/nodes-export")).text) as {
    readonly nodes: readonly { readonly name: string }[];
  };
  expect(all.nodes.map((node) => node.name)).toEqual([name]);
});

test("[E47, A36] by TLS the session's cookie is one of this host, and opens a websocket", async () => {
  const service = await secureService();
  const signedIn = await send(service, "POST", "/session", {
    body: { key: service.key },
    headers: { "sec-fetch-site": "same-origin" },
  });
  const [set = ""] = signedIn.headers["set-cookie"] ?? [];
  expect(set).toMatch(/^__Host-.+; Secure$/);
  const cookie = set.split(";")[0] ?? "";
  const url = `${service.url.replace("https:", "wss:")}/sync/me`;
  const headers = { cookie, origin: service.url };
  const websocket = new WebSocket(url, [], { ca: CA, headers });
  await once(websocket, "open");
  expect([service.sync.sessions(), service.app.connections.size]).toEqual([1, 0]);
  websocket.terminate();
  await expect.poll(() => service.sync.sessions()).toBe(0);
});

test("[E47] a request that offers another protocol is served, and so is the next", async () => {
  const socket = await agreed(await secureService());
  let received = "";
  socket.setEncoding("utf8").on("data", (text: string) => (received += text));
  const offer =
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
  socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\n${offer}\r\n`);
  await expect.poll(() => received.split("HTTP/1.1 200 OK").length).toBe(2);
  socket.write(HEALTH.repeat(5));
  await expect.poll(() => received.split("HTTP/1.1 200 OK").length).toBe(7);
});

test("[E47] who asks by plain HTTP is told so, who speaks anything else is hung up on, and others are served", async () => {
  const service = await secureService();
  const answers: string[] = [];
  for (const bytes of [HEALTH, "\x16\x03\x01nonsense".repeat(20), "\0".repeat(1_000)]) {
    const socket = await silent(service);
    socket.write(bytes);
    answers.push((await buffer(socket)).toString());
  }
  const said = answers.map((answer) => /^HTTP\/1\.1 400 [^]*begins with https/.test(answer));
  expect(said).toEqual([true, false, false]);
  await expect.poll(() => service.app.connections.size).toBe(0);
  expect((await send(service, "GET", "/healthz")).statusCode).toBe(200);
});

test("[Q26] who does not agree on TLS in time is hung up on", async () => {
  const service = await secureService({ handshakeMs: 50 });
  const socket = await silent(service);
  socket.resume();
  await once(socket, "close");
  await expect.poll(() => service.app.connections.size).toBe(0);
});

test("[Q26, Q10] connections that have not agreed count, and go first", async () => {
  const service = await secureService({ connectionsPerAddress: 3 });
  const waiting = [await silent(service), await silent(service)];
  const closed = waiting.map((socket) => once(socket.resume(), "close"));
  const used: TLSSocket[] = [];
  for (let count = 0; count < 3; count += 1) {
    const socket = await agreed(service);
    socket.write(HEALTH);
    await once(socket, "data");
    used.push(socket);
    expect(service.app.connections.size).toBeLessThanOrEqual(3);
  }
  await Promise.all(closed);
  expect(service.app.connections.size).toBe(3);
  for (const socket of used) {
    socket.write(HEALTH);
    await once(socket, "data");
  }
});

test("[E47] a server that closes waits for no handshake", async () => {
  const limits = { handshakeMs: 600_000 };
  const service = await startService({ tls: await certificate("first"), limits });
  const socket = await silent(service);
  const closed = once(socket.resume(), "close");
  await service.close();
  await closed;
});

test("[E47, Q11] who does not read an answer by TLS is hung up on", async () => {
  const service = await secureService({ stalledMs: 300 });
  const body = { name: "漢".repeat(65_000) };
  for (let count = 0; count < 7; count += 1) await send(service, "POST", "/api/v1/nodes", { body });
  for (let count = 0; count < 3; count += 1) await send(service, "GET", "/api/v1/nodes");
  const socket = await agreed(service);
  socket.pause();
  const ask = `GET /api/v1/nodes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
  socket.write(ask.repeat(10));
  await expect.poll(() => service.memory.bytes).toBeGreaterThan(128 * 1024);
  await expect.poll(() => service.app.connections.size, { timeout: 60_000 }).toBe(0);
  expect(service.memory.bytes).toBe(0);
});
