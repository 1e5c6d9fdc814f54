import { expect, test } from "vitest";
import type { UserId } from "../../src/accounts/account-store.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import { StoreError } from "../../src/documents/log/outline-log.ts";
import { addNode, countIn, namesIn } from "../support/socket-outline.ts";
import { type SocketServer, startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";

const ME = "me" as UserId;

/** Time passes until nobody needs the document in memory. */
async function unloaded(server: SocketServer): Promise<void> {
  await until(() => {
    server.clock.advance(60_000);
    return server.documents.stats().open === 0;
  });
}

test("[S34] a revoked key closes its sockets at once with 4401, and no others", async () => {
  const server = await startSocketServer();
  const { id, key } = await server.newKey();
  const stock = server.stock({ protocols: ["yjs", key] });
  const extended = server.extended({ key });
  const other = server.stock();
  await until(() => stock.provider.synced && extended.isLive && other.provider.synced);
  await server.accounts.revokeKey(ME, id);
  await until(() => stock.closed !== undefined && extended.closed !== undefined);
  expect([stock.closed?.code, extended.closed?.code]).toEqual([4401, 4401]);
  expect(stock.provider.shouldConnect).toBe(false);
  const served = await server.served();
  addNode(stock.doc, "too late");
  addNode(other.doc, "still there");
  await until(() => countIn(served.doc) > 0);
  expect(namesIn(served.doc)).toEqual(["still there"]);
});

test("[S34] a key that ends closes its sockets with 4401 within a second", async () => {
  const server = await startSocketServer();
  const expiresAt = Math.floor(server.clock.now() / 1000) + 5;
  const { key } = await server.newKey({ expiresAt });
  const extended = server.extended({ key });
  await until(() => extended.isLive);
  server.clock.advance(4000);
  expect(server.sync.sessions()).toBe(1);
  server.clock.advance(2000);
  await until(() => extended.closed !== undefined);
  expect(extended.closed?.code).toBe(4401);
});

test("[S34] a removed user's sockets close", async () => {
  const server = await startSocketServer();
  const stock = server.stock();
  await until(() => stock.provider.synced);
  await server.accounts.removeUser(ME);
  await until(() => stock.closed !== undefined);
  expect(stock.closed?.code).toBe(4401);
});

test("[A46, S34] a browser's session that ends closes its sockets, and no others of its key", async () => {
  const server = await startSocketServer();
  const origin = `http://127.0.0.1:${server.port}`;
  const [gone, stays] = [await server.session(), await server.session()];
  const peers = await Promise.all(
    [gone, stays].map(({ cookie }) => server.peer({ headers: { cookie, origin } })),
  );
  await until(() => server.sync.sessions() === 2);
  const principal = await server.accounts.who({ kind: "session", secret: gone.token });
  await server.accounts.endSessions(ME, { id: principal?.id ?? "" });
  await until(() => peers[0]?.closeCode !== undefined);
  // The server waits for who says nothing to that.
  peers[0]?.socket.destroy();
  await until(() => server.seen.closed.length === 1);
  expect([server.seen.closed, server.sync.sessions()]).toEqual([[4401], 1]);
  await server.accounts.revokeKey(ME, server.keyId);
  await until(() => peers[1]?.closeCode !== undefined);
  expect(peers.map((peer) => peer.closeCode)).toEqual([4401, 4401]);
});

test("[A11] a key that ends while its websocket is looked up opens none", async () => {
  let letGo = (): void => undefined;
  const isKnown = new Promise<void>((resolve) => (letGo = resolve));
  const server = await startSocketServer({ afterAuthentication: () => isKnown });
  const opening = server.peer();
  await until(() => server.seen.authenticated === 1);
  await server.accounts.revokeKey(ME, server.keyId);
  letGo();
  expect((await opening).answer.status).toBe(401);
});

test("[S35] when the store fails, everybody is told; nothing is acknowledged; all goes on after", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const stock = server.stock();
  const extended = server.extended();
  await until(() => stock.provider.synced && extended.isLive);
  addNode(extended.device.doc, "saved");
  await until(() => extended.unsaved === 0);
  server.store.hold();
  addNode(extended.device.doc, "not saved");
  await until(() => countIn(served.doc) === 2);
  server.store.fail();
  await until(() => stock.closed !== undefined && extended.closed !== undefined);
  expect([stock.closed?.code, extended.closed?.code]).toEqual([1013, 1013]);
  expect(extended.received.at(-1)).toMatchObject({ kind: "unavailable" });
  expect(extended.unsaved).toBe(1);

  server.store.release();
  await until(() => {
    server.clock.advance(100);
    return stock.provider.synced && server.documents.stats().isStoreWorking;
  });
  const again = server.extended({ device: extended.device });
  await until(() => again.isLive && again.unsaved === 0);
  expect(namesIn(stock.doc)).toEqual(["not saved", "saved"]);
});

test("[S36] a server that stops closes with 1012, so that clients come again", async () => {
  const server = await startSocketServer();
  const stock = server.stock();
  const extended = server.extended();
  await until(() => stock.provider.synced && extended.isLive);
  await server.sync.close();
  await until(() => stock.closed !== undefined && extended.closed !== undefined);
  expect([stock.closed?.code, extended.closed?.code]).toEqual([1012, 1012]);
  expect(stock.provider.shouldConnect).toBe(true);
  const { answer } = await server.peer();
  expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
});

test("[C15] a connection is counted by the code that the server ended it with, if it did", async () => {
  const server = await startSocketServer();
  const closeWith = async (code: number) => {
    const peer = await server.peer();
    peer.frame(new Uint8Array([code >> 8, code & 255]), 0x88);
    await until(() => peer.isClosed);
  };
  await closeWith(1001);
  await closeWith(4413);
  await closeWith(3999);
  const silent = await server.peer();
  await server.accounts.revokeKey(ME, server.keyId);
  silent.socket.destroy();
  await until(() => server.seen.closed.length === 4);
  expect(server.seen.closed).toEqual([1001, 1000, 1000, 4401]);
});

test("[S43] the document of idle sockets is let go; they hear of later changes all the same", async () => {
  const server = await startSocketServer({ limits: { heartbeatMs: 10_000_000 } });
  const stock = server.stock();
  const extended = server.extended();
  await until(() => stock.provider.synced && extended.isLive);
  expect(server.documents.stats()).toMatchObject({ open: 1, pinned: 1 });
  await unloaded(server);
  expect(server.sync.sessions()).toBe(2);
  await (await server.served()).write((doc) => addNode(doc, "from the API"));
  await until(() => countIn(stock.doc) === 1 && countIn(extended.device.doc) === 1);

  await unloaded(server);
  // The document of before has forgotten who writes under which id.
  addNode(extended.device.doc, "from a device");
  await until(() => countIn(stock.doc) === 2 && extended.unsaved === 0);
  expect(extended.refused).toEqual([]);
});

test("[S43] clients that leave while they wait for a whole state keep nothing open", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  for (let count = 0; count < 200; count++) {
    await served.write((doc) => addNode(doc, "x".repeat(200_000)));
  }
  const slow = [server.extended(), server.extended(), server.extended()];
  for (const client of slow) client.setReading(false);
  await until(() => server.sync.queuedBytes() > 0);
  await server.accounts.revokeKey(ME, server.keyId);
  for (const client of slow) client.kill();
  await until(() => server.sync.sessions() === 0);
  await unloaded(server);
});

test("[S43] nothing is kept for connections that are gone", async () => {
  const server = await startSocketServer();
  for (let round = 0; round < 20; round++) {
    const stock = server.stock();
    await until(() => stock.provider.synced);
    stock.provider.destroy();
  }
  await until(() => server.sync.sessions() === 0);
  expect(server.documents.stats().pinned).toBe(0);
});

test("[S37] an outline that can't be read closes its sockets with 1011, and no others", async () => {
  const damaged = new Set<OutlineId>();
  const server = await startSocketServer({
    beforeLoad(outline) {
      if (damaged.has(outline)) throw new StoreError("outline_corrupt", "for a test", { outline });
    },
  });
  const other = await server.newUser("other");
  damaged.add(server.outline);
  const extended = server.extended();
  await until(() => extended.closed !== undefined);
  expect(extended.closed?.code).toBe(1011);
  const stock = server.stock({ protocols: ["yjs", other.key] });
  await until(() => stock.provider.synced);
  expect(server.seen.errors).toHaveLength(1);

  damaged.clear();
  const again = server.extended();
  await until(() => again.isLive);
});

test("[S35, S16] after a backup was put back, devices give back what the server lost", async () => {
  const server = await startSocketServer();
  const stock = server.stock();
  const extended = server.extended();
  await until(() => stock.provider.synced && extended.isLive);
  addNode(extended.device.doc, "one");
  addNode(stock.doc, "two");
  await until(() => extended.unsaved === 0 && countIn(extended.device.doc) === 2);
  stock.provider.destroy();
  server.store.restoreEmpty();
  server.documents.evictAll("restored");
  await until(() => extended.closed !== undefined);
  expect(extended.closed?.code).toBe(1012);
  expect(countIn((await server.served()).doc)).toBe(0);

  const again = server.extended({ device: extended.device });
  await until(() => again.isLive);
  expect(again.received.find(({ kind }) => kind === "welcome")).toMatchObject({ from: "state" });
  expect(again.device.epoch).toBe("restored");
  const served = await server.served();
  await until(() => countIn(served.doc) === 2);
  addNode(again.device.doc, "three");
  await until(() => again.unsaved === 0);
  expect([namesIn(served.doc), again.refused]).toEqual([["one", "three", "two"], []]);
});

test("[S34] sockets of an outline that is removed close with 4404", async () => {
  const server = await startSocketServer();
  const stock = server.stock();
  await until(() => stock.provider.synced);
  await server.documents.drop(server.outline);
  await until(() => stock.closed !== undefined);
  expect(stock.closed?.code).toBe(4404);
});

test("[S34] a key that is revoked while its handshake is under way opens nothing", async () => {
  let letGo = (): void => undefined;
  const isRevoked = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const server = await startSocketServer({ afterAuthentication: () => isRevoked });
  const { id, key } = await server.newKey();
  const opening = server.peer({ headers: { "sec-websocket-protocol": `yjs, ${key}` } });
  await until(() => server.seen.authenticated === 1);
  await server.accounts.revokeKey(ME, id);
  letGo();
  const { answer } = await opening;
  expect([answer.status, server.sync.sessions()]).toEqual([401, 0]);
});
