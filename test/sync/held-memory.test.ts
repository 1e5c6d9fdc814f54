import { expect, test } from "vitest";
import * as Y from "yjs";
import { encodeAwarenessUpdate } from "../../src/protocol/awareness-update.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { addNode, countIn } from "../support/socket-outline.ts";
import { maskedFrame, type SocketPeer } from "../support/socket-peer.ts";
import { type SocketServer, startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const PIECE = 64 * KIB;
const BINARY = 0x02;
const CONTINUED = 0x00;
const PING = 0x89;
const PONG = 0x8a;

const STEP1 = encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) });

/** One that has been greeted. */
async function greeted(server: SocketServer, key = server.key): Promise<SocketPeer> {
  const peer = await server.peer({ headers: { "sec-websocket-protocol": `yjs, ${key}` } });
  peer.frame(STEP1);
  await until(() => peer.messages.length >= 2);
  return peer;
}

/** The beginning of a message of a megabyte. */
function beginning(bytes: number): Buffer {
  return maskedFrame(new Uint8Array(MIB), 0x82).subarray(0, bytes);
}

test("[Q53] messages that never end count for their user; the largest ends, and nobody else's", async () => {
  const server = await startSocketServer({ memoryLimits: { bytesPerPayer: 2 * MIB } });
  const { key } = await server.newUser("other");
  const bystander = await greeted(server, key);
  bystander.write(beginning(300 * KIB));
  const peers: SocketPeer[] = [];
  for (let count = 0; count < 4; count++) {
    const peer = await greeted(server);
    peers.push(peer);
    peer.write(beginning((count + 1) * 150 * KIB));
  }
  await until(() => server.memory.bytes > 1_700 * KIB);
  expect(server.seen.closed).toEqual([]);
  peers[0]?.write(Buffer.alloc(600 * KIB));
  await until(() => server.seen.closed.length === 1);
  expect(server.seen.closed).toEqual([1013]);
  await until(() => server.sync.sessions() === 4);
  expect(server.memory.bytes).toBeLessThan(2 * MIB);
  expect(bystander.isClosed).toBe(false);
});

test("[Q53] updates that wait for the document count, and what is not read", async () => {
  let letLoad = (): void => undefined;
  const mayLoad = new Promise<void>((resolve) => {
    letLoad = resolve;
  });
  const server = await startSocketServer({ beforeLoad: () => mayLoad });
  const client = server.extended();
  addNode(client.device.doc, "x".repeat(200_000));
  const peer = await server.peer();
  peer.frame(encodeMessage({ kind: "update", update: new Uint8Array(300 * KIB) }));
  await until(() => server.memory.bytes >= 300 * KIB);
  letLoad();
  await until(() => peer.isClosed && client.unsaved === 0);
  expect(server.memory.bytes).toBeLessThan(PIECE);

  client.setReading(false);
  const served = await server.served();
  await until(async () => {
    await served.write((doc) => addNode(doc, "x".repeat(200_000)));
    return server.sync.queuedBytes() > MIB;
  });
  expect(server.memory.bytes).toBeGreaterThan(MIB);
  client.kill();
  await until(() => server.memory.bytes === 0);
});

test("[Q53] what a client says that it has counts, until it has answered what it has beyond that", async () => {
  const server = await startSocketServer({ memoryLimits: { bytesPerPayer: 2 * MIB } });
  await (await server.served()).write((doc) => addNode(doc, "x"));
  const clocks = Array.from({ length: 10_000 }, (_, index) => [2 ** 40 + index, 1] as const);
  const stateVector = Y.encodeStateVector(new Map(clocks));
  const peers: SocketPeer[] = [];
  for (let count = 1; count <= 3; count++) {
    const peer = await server.peer();
    peers.push(peer);
    peer.frame(encodeMessage({ kind: "step1", stateVector }));
    // The question what it has beyond that, and what it lacks.
    if (count < 3) await until(() => peer.messages.length >= 2);
  }
  await until(() => server.seen.closed.length === 1);
  expect(server.seen.closed).toEqual([1013]);
  expect(server.memory.bytes).toBeGreaterThan(MIB);
  const update = new Uint8Array([0, 0]);
  for (const peer of peers)
    if (!peer.isClosed) peer.frame(encodeMessage({ kind: "step2", update }));
  await until(() => server.memory.bytes === 0);
});

test("[Q53] of many who come at once and read none is charged for what is read of the log", async () => {
  const server = await startSocketServer({
    documentLimits: { minCompactionBytes: 10 * MIB },
    memoryLimits: { bytesPerPayer: MIB },
  });
  for (let count = 0; count < 3_000; count++) {
    await (await server.served()).write((doc) => addNode(doc, `${count} ${"x".repeat(100)}`));
  }
  const clients = Array.from({ length: 8 }, () => server.extended());
  await until(() => clients.every(({ isLive }) => isLive));
  expect(server.seen.closed).toEqual([]);
});

test("[Q54] a message of which only a byte comes with each piece is ended", async () => {
  const server = await startSocketServer({ limits: { messageBytes: MIB } });
  const peer = await greeted(server);
  const filler = Buffer.concat(
    Array.from({ length: 500 }, () => maskedFrame(Buffer.alloc(125), PONG)),
  );
  peer.frame(new Uint8Array(1), BINARY);
  let sent = 0;
  while (!peer.isClosed && sent < 20 * MIB) {
    peer.write(filler);
    peer.frame(new Uint8Array(1), CONTINUED);
    sent += filler.length;
    await new Promise<void>((resolve) => peer.socket.write("", () => resolve()));
  }
  await until(() => server.sync.sessions() === 0);
  expect(server.seen.closed).toEqual([4413]);
  expect(server.memory.bytes).toBe(0);
});

test("[Q54] a message in pieces is a message, up to a number of them", async () => {
  const server = await startSocketServer();
  const { doc } = await server.served();
  const peer = await greeted(server);
  const client = server.extended();
  addNode(client.device.doc, "in pieces ".repeat(100));
  await until(() => client.unsaved === 0);
  const pings = encodeMessage({ kind: "query_awareness" });
  peer.frame(pings.subarray(0, 0), BINARY);
  for (let count = 0; count < 500; count++) peer.frame(new Uint8Array(0), CONTINUED);
  peer.frame(pings, 0x80);
  peer.frame(new Uint8Array(1), PING);
  await until(() => peer.hasPong);
  expect(peer.isClosed).toBe(false);
  peer.frame(new Uint8Array(0), BINARY);
  for (let count = 0; count < 1_100; count++) peer.frame(new Uint8Array(0), CONTINUED);
  await until(() => peer.isClosed);
  expect(countIn(doc)).toBe(1);
});

test("[Q54] a message that takes too long is ended, a connection that only answers pings is not", async () => {
  const server = await startSocketServer({ limits: { messageMs: 5_000, heartbeatMs: 10 ** 9 } });
  const idle = await greeted(server);
  const slow = await greeted(server);
  slow.write(beginning(1_000));
  for (let second = 0; second < 8; second++) {
    idle.frame(new Uint8Array(0), PONG);
    idle.frame(new Uint8Array(1), PING);
    await until(() => idle.hasPong);
    server.clock.advance(1_000);
  }
  await until(() => server.sync.sessions() === 1);
  expect([server.seen.closed, idle.isClosed]).toEqual([[1013], false]);
});

test("[Q57] of pings that come faster than their answers are read the newest is answered", async () => {
  const server = await startSocketServer();
  const peer = await greeted(server);
  peer.socket.pause();
  const pings = Buffer.concat(
    Array.from({ length: 5_000 }, () => maskedFrame(Buffer.alloc(125), PING)),
  );
  for (let round = 0; round < 12; round++) {
    await new Promise<void>((resolve) => peer.socket.write(pings, () => resolve()));
  }
  expect(server.sync.queuedBytes()).toBeLessThan(MIB);
  peer.frame(Buffer.from("last"), PING);
  peer.socket.resume();
  await until(() => peer.pongs.at(-1)?.toString() === "last");
});

test("[Q57] who asks who is there without reading the answers is told once", async () => {
  const server = await startSocketServer({
    limits: { requestsPerSecond: 1_000, presenceBytesPerSecond: 1e12 },
  });
  const crowd = await Promise.all(Array.from({ length: 20 }, () => greeted(server)));
  for (const [client, peer] of crowd.entries()) {
    const state = Buffer.from(JSON.stringify("x".repeat(4_000)));
    const update = encodeAwarenessUpdate([{ client: client + 1, clock: 1, state }]);
    peer.frame(encodeMessage({ kind: "awareness", update }));
  }
  const asker = await greeted(server);
  await until(() => asker.messages.length >= 3);
  asker.socket.pause();
  const question = maskedFrame(encodeMessage({ kind: "query_awareness" }));
  asker.write(Buffer.concat(Array.from({ length: 500 }, () => question)));
  let most = 0;
  await until(async () => {
    most = Math.max(most, server.sync.queuedBytes());
    return most > 0 || asker.socket.writableLength === 0;
  });
  // What was asked by then is looked at within the time of a handshake.
  await server.peer();
  expect(Math.max(most, server.sync.queuedBytes())).toBeLessThan(MIB);
  asker.socket.resume();
  await until(() => server.sync.queuedBytes() === 0);
  expect(asker.isClosed).toBe(false);
});

/** 8 MB, in pieces of 32 KiB. */
const MESSAGES_OF_A_STATE = 250;

test("[Q57] who asks anew is sent the newest answer, not all of them", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  for (let count = 0; count < 40; count++) {
    await served.write((doc) => addNode(doc, "x".repeat(200_000)));
  }
  const peer = await server.peer();
  peer.socket.pause();
  for (let count = 0; count < 10; count++) {
    peer.frame(STEP1);
    await server.peer();
  }
  peer.socket.resume();
  // A step 2 begins with 0 and 1. How much of the first answer is on its way by then depends on the
  // machine.
  const ends = (): number =>
    peer.messages.filter(([kind, step]) => kind === 0 && step === 1).length;
  await until(() => ends() > 0);
  expect(ends()).toBe(1);
  expect(peer.messages.length).toBeLessThan(3 * MESSAGES_OF_A_STATE);
});
