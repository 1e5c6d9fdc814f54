import { connect } from "node:net";
import { expect, test } from "vitest";
import { ROOT } from "../../src/core/node-key.ts";
import type { SocketPeer } from "../support/socket-peer.ts";
import { startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";

function errorBody(code: string): unknown {
  return { error: expect.any(String) as string, code, message: expect.any(String) as string };
}

test("[S5] the key as a subprotocol opens a websocket, which answers with what was offered", async () => {
  const server = await startSocketServer();
  const answered = async (offered: string): Promise<unknown> => {
    const { answer } = await server.peer({ headers: { "sec-websocket-protocol": offered } });
    return [answer.status, answer.headers["sec-websocket-protocol"]];
  };
  expect(await answered(`yjs, ${server.key}`)).toEqual([101, "yjs"]);
  expect(await answered(`outline.v1, ${server.key}`)).toEqual([101, "outline.v1"]);
  expect(await answered(server.key)).toEqual([101, server.key]);
});

test("[S6] the cookie of a session opens a websocket for pages of the same host", async () => {
  const server = await startSocketServer();
  const { cookie } = await server.session();
  const status = async (origin: string): Promise<number> => {
    const { answer } = await server.peer({ headers: { cookie, origin } });
    return answer.status;
  };
  expect(await status(`http://127.0.0.1:${server.port}`)).toBe(101);
  expect(await status("http://evil.example")).toBe(403);
  expect(await status("null")).toBe(403);
});

test("[S7] a key in the URL is no credential", async () => {
  const server = await startSocketServer();
  for (const path of [
    `/sync/me?key=${server.key}`,
    `/sync/me?token=${server.key}&access_token=${server.key}`,
    `/sync/${server.key}`,
  ]) {
    const { answer } = await server.peer({ path, headers: {} });
    expect(answer.status, path).toBe(401);
  }
});

test("[S8] a refused upgrade is answered in HTTP, with the body of the API's errors", async () => {
  const server = await startSocketServer();
  const nobody = await server.peer({ headers: {} });
  expect(nobody.answer).toMatchObject({
    status: 401,
    headers: { "www-authenticate": "Bearer", connection: "close" },
  });
  expect(nobody.answer.body).toEqual(errorBody("unauthorized"));
  const wrong = await server.peer({ headers: { "sec-websocket-protocol": "yjs, ok_wrong" } });
  expect([wrong.answer.status, wrong.answer.body]).toEqual([401, errorBody("unauthorized")]);
  const elsewhere = await server.peer({ path: "/other" });
  expect([elsewhere.answer.status, elsewhere.answer.body]).toEqual([404, errorBody("not_found")]);
  expect(server.sync.sessions()).toBe(0);
});

test("[S8] an upgrade that is no websocket handshake is refused the same way", async () => {
  const server = await startSocketServer();
  const protocols = { "sec-websocket-protocol": `yjs, ${server.key}` };
  for (const headers of [
    { ...protocols, "sec-websocket-key": "short" },
    { ...protocols, "sec-websocket-version": "7" },
    { ...protocols, upgrade: "h2c" },
    { "sec-websocket-protocol": `yjs, ${server.key}, yjs` },
  ]) {
    const { answer } = await server.peer({ headers });
    expect([answer.status, answer.body]).toEqual([400, errorBody("invalid_request")]);
  }
});

test("[S8] peers that break off, at any point of the handshake, do no harm", async () => {
  const server = await startSocketServer();
  const request = `GET /sync/me HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nsec-websocket-version: 13\r\nsec-websocket-protocol: yjs, ${server.key}\r\n\r\n`;
  for (let length = 0; length <= request.length; length += 7) {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(request.slice(0, length), () => socket.resetAndDestroy());
  }
  const { answer } = await server.peer();
  expect(answer.status).toBe(101);
  await until(() => server.sync.sessions() === 1);
  expect(server.seen.errors).toEqual([]);
});

test("[S8] while keys can't be looked up, the answer is 503", async () => {
  const server = await startSocketServer({
    afterAuthentication: () => Promise.reject(new Error("the store fails, for a test")),
  });
  const { answer } = await server.peer();
  expect([answer.status, answer.body]).toEqual([503, errorBody("unavailable")]);
  expect(server.seen.errors).toHaveLength(1);
});

test("[S8] a peer that is gone when its refusal comes does no harm", async () => {
  let letGo = (): void => undefined;
  const isGone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const server = await startSocketServer({ afterAuthentication: () => isGone });
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    `GET /sync/me HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-protocol: yjs, ok_wrong\r\n\r\n`,
  );
  await until(() => server.seen.authenticated === 1);
  socket.resetAndDestroy();
  await until(() => socket.destroyed);
  letGo();
  const { answer } = await server.peer();
  expect(answer.status).toBe(101);
});

test("[S9] another's outline and one that is not there are the same 404, and nothing is made", async () => {
  const server = await startSocketServer();
  const other = await server.newUser("other");
  for (const path of [`/sync/${other.outline}`, "/sync/0123456789ab8cde8123", "/sync/..%2fme"]) {
    const { answer } = await server.peer({ path });
    expect([answer.status, answer.body], path).toEqual([404, errorBody("not_found")]);
  }
  expect(server.documents.stats().open).toBe(0);
});

test("[S10] a key for a part of an outline gets no websocket", async () => {
  const server = await startSocketServer();
  const { key } = await server.newKey({ root: ROOT });
  const { answer } = await server.peer({ headers: { "sec-websocket-protocol": `yjs, ${key}` } });
  expect([answer.status, answer.body]).toEqual([403, errorBody("forbidden")]);
});

test("[S11] an address that tries wrong keys is held back, but not the devices that it had", async () => {
  const server = await startSocketServer({ wrongKeysPerMinute: 3 });
  const answerTo = async (key: string) => {
    const headers = {
      "sec-websocket-protocol": `yjs, ${key}`,
      "x-forwarded-for": `${Math.random()}`,
    };
    return (await server.peer({ headers })).answer;
  };
  const { key } = await server.newKey();
  expect((await answerTo(server.key)).status).toBe(101);
  for (const wrong of ["ok_wrong1", "ok_wrong2", "ok_wrong3", "ok_wrong1"]) {
    expect((await answerTo(wrong)).status).toBe(401);
  }
  expect(await answerTo(key)).toMatchObject({
    status: 429,
    headers: { "retry-after": "20" },
    body: { code: "rate_limited", retry_after: 20 },
  });
  expect((await answerTo(server.key)).status).toBe(101);
  server.clock.advance(20_000);
  expect((await answerTo(key)).status).toBe(101);
});

test("[S12, Q56] connections are limited for each user, whatever the keys, and for each address", async () => {
  const server = await startSocketServer({
    limits: { connectionsPerUser: 2, connectionsPerAddress: 3 },
  });
  const second = await server.newKey();
  const other = await server.newUser("other");
  const open = async (key: string): Promise<SocketPeer> =>
    server.peer({ headers: { "sec-websocket-protocol": `yjs, ${key}` } });
  const first = await open(server.key);
  expect((await open(second.key)).answer.status).toBe(101);
  expect((await open(server.key)).answer.status).toBe(429);
  expect((await open(second.key)).answer.status).toBe(429);
  expect((await open(other.key)).answer.status).toBe(101);
  expect((await open(other.key)).answer.status).toBe(429);
  first.socket.destroy();
  await until(() => server.sync.sessions() === 2);
  expect((await open(server.key)).answer.status).toBe(101);
});

test("[Q56] who is only being looked up counts for the address, and nobody looks any further", async () => {
  let letGo = (): void => undefined;
  const isKnown = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const server = await startSocketServer({
    limits: { connectionsPerAddress: 3 },
    afterAuthentication: () => isKnown,
  });
  const opening = Array.from({ length: 3 }, () => server.peer());
  await until(() => server.seen.authenticated === 3);
  expect((await server.peer()).answer.status).toBe(429);
  expect(server.seen.authenticated).toBe(3);
  letGo();
  const statuses = (await Promise.all(opening)).map(({ answer }) => answer.status);
  expect(statuses).toEqual([101, 101, 101]);
});

test("[Q56] connections are limited in all, with 503", async () => {
  const server = await startSocketServer({ limits: { connectionsInAll: 2 } });
  const [first] = [await server.peer(), await server.peer()];
  const { status, headers } = (await server.peer()).answer;
  expect([status, headers["retry-after"]]).toEqual([503, "5"]);
  first.socket.destroy();
  await until(() => server.sync.sessions() === 1);
  expect((await server.peer()).answer.status).toBe(101);
});

test("[S12] also when many are looked up at once", async () => {
  let letGo = (): void => undefined;
  const isKnown = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const server = await startSocketServer({
    limits: { connectionsPerUser: 2, connectionsPerAddress: 1000 },
    afterAuthentication: () => isKnown,
  });
  const opening = Array.from({ length: 5 }, () => server.peer());
  await until(() => server.seen.authenticated === 5);
  letGo();
  const statuses = (await Promise.all(opening)).map(({ answer }) => answer.status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([101, 101, 429, 429, 429]);
});
