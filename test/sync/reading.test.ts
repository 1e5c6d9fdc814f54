import { setImmediate as yieldNow } from "node:timers/promises";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { encodeAwarenessUpdate } from "../../src/protocol/awareness-update.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { ReadingTurns } from "../../src/sync/reading-turns.ts";
import { addNode, countIn } from "../support/socket-outline.ts";
import { maskedFrame, type SocketPeer } from "../support/socket-peer.ts";
import { startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";

const MIB = 2 ** 20;
/** The most that is read of a socket at once. */
const PIECE = 64 * 1024;

function namedIn(turns: ReadingTurns, workMs: number, names: readonly string[]): string[] {
  const read: string[] = [];
  for (const name of names) turns.wait(name.charAt(0), { bytes: 0, workMs }, () => read.push(name));
  return read;
}

test("[S46, Q70] connections that make work are read one in a turn, the outlines' in turn", async () => {
  const turns = new ReadingTurns({ yieldNow: () => yieldNow() }, () => 0);
  const read = namedIn(turns, 5, ["a1", "a2", "a3", "b1", "c1"]);
  expect(read).toEqual([]);
  await yieldNow();
  expect(read).toEqual(["a1"]);
  await until(() => read.length === 5);
  expect(read).toEqual(["a1", "b1", "c1", "a2", "a3"]);
});

test("[S46] the less work they make, the more of them are read in a turn", async () => {
  const turns = new ReadingTurns({ yieldNow: () => yieldNow() }, () => 0);
  const read = namedIn(turns, 0.5, ["a1", "a2", "a3", "b1", "b2"]);
  await yieldNow();
  expect(read).toEqual(["a1", "b1", "a2", "b2"]);
});

/** Frames of which a session takes any number. */
const HARMLESS = {
  pong: maskedFrame(new Uint8Array(0), 0x8a),
  presence: maskedFrame(
    encodeMessage({
      kind: "awareness",
      update: encodeAwarenessUpdate([{ client: 1, clock: 1, state: Buffer.from("{}") }]),
    }),
  ),
};

test("[S46] what nothing is done with is work too, for the system: a frame is read in parts", async () => {
  const server = await startSocketServer();
  const peers = await Promise.all(Array.from({ length: 4 }, () => server.peer()));
  for (const peer of peers) peer.socket.write(maskedFrame(new Uint8Array(4 * MIB)).subarray(0, -1));
  let [before, most] = [0, 0];
  while (before < peers.length * (4 * MIB - PIECE)) {
    for (const peer of peers) expect(peer.isClosed).toBe(false);
    await yieldNow();
    most = Math.max(most, server.memory.bytes - before);
    before = server.memory.bytes;
  }
  // Of each a piece, and one that had been read when it was to wait.
  expect(most).toBeLessThan(peers.length * 3 * PIECE);
});

test.each(Object.entries(HARMLESS))(
  "[S46] a flood of %s frames is read piece by piece, with turns between",
  async (_kind, frame) => {
    const server = await startSocketServer();
    const peer = await server.peer();
    const flood = Buffer.alloc(Math.ceil(MIB / frame.length) * frame.length, frame);
    const device = new Y.Doc();
    addNode(device, "at the end");
    const served = await server.served();
    peer.write(flood);
    peer.frame(encodeMessage({ kind: "update", update: Y.encodeStateAsUpdate(device) }));
    let turns = 0;
    while (countIn(served.doc) === 0) {
      expect(peer.isClosed).toBe(false);
      await yieldNow();
      turns++;
    }
    expect(turns).toBeGreaterThanOrEqual(MIB / PIECE);
  },
);

test("[S46] what the connections of one outline send at the same moment is read over many turns", async () => {
  const server = await startSocketServer();
  const peers = await Promise.all(Array.from({ length: 30 }, () => server.peer()));
  const ping = maskedFrame(new Uint8Array(0), 0x89);
  const { presence } = HARMLESS;
  const flood = Buffer.concat([Buffer.alloc(presence.length * 2_000, presence), ping]);
  expect(flood.length).toBeLessThan(PIECE);
  for (const peer of peers) peer.write(flood);
  let [before, most] = [0, 0];
  while (before < peers.length) {
    await yieldNow();
    const { length } = peers.filter(({ hasPong }) => hasPong);
    most = Math.max(most, length - before);
    before = length;
  }
  expect(most).toBeLessThan(peers.length / 3);
});

test("[S46, Q57] of pings that come at once the newest is answered", async () => {
  const server = await startSocketServer();
  const peer = await server.peer();
  const pings = Array.from({ length: 5_000 }, (_, number) =>
    maskedFrame(Buffer.from(String(number)), 0x89),
  );
  peer.write(Buffer.concat(pings));
  await until(() => peer.pongs.at(-1)?.toString() === "4999");
  expect(peer.pongs.length).toBeLessThan(50);
});

test("[S47] a connection that has ended counts until all that it sent is judged", async () => {
  const server = await startSocketServer({
    limits: { connectionsPerUser: 1 },
    documentLimits: { maxStructsAtOnce: 10 },
  });
  const { doc } = await server.served();
  const peer = await server.peer();
  const device = new Y.Doc();
  for (let count = 0; count < 20; count++) addNode(device, "one of many");
  server.store.hold();
  peer.frame(encodeMessage({ kind: "update", update: Y.encodeStateAsUpdate(device) }));
  await until(() => countIn(doc) === 20);
  peer.socket.destroy();
  await until(() => server.sync.sessions() === 0);
  expect((await server.peer()).answer.status).toBe(429);
  server.store.release();
  let next: SocketPeer | undefined;
  await until(async () => {
    next = await server.peer();
    return next.answer.status === 101;
  });
  expect(next?.isClosed).toBe(false);
});

test("[S24] together clients have only so much that is not durable, and who has little goes on", async () => {
  const messageBytes = 20_000_000;
  const server = await startSocketServer({
    limits: { messageBytes },
    memoryLimits: { bytesPerPayer: 300_000 + messageBytes },
  });
  const { doc } = await server.served();
  const crowd = Array.from({ length: 3 }, () => server.extended());
  const other = server.extended();
  await until(() => [...crowd, other].every((client) => client.isLive));
  server.store.hold();
  for (const { device } of crowd) {
    for (let count = 0; count < 40; count++) addNode(device.doc, "x".repeat(20_000));
  }
  await until(() => countIn(doc) >= 15);
  const before = countIn(doc);
  addNode(other.device.doc, "little");
  await until(() => countIn(doc) > before);
  // What was read by then is handled within the time of a few handshakes.
  for (let count = 0; count < 3; count++) (await server.peer()).socket.destroy();
  expect(countIn(doc)).toBeLessThan(40);
  server.store.release();
  await until(() => crowd.every((client) => client.unsaved === 0));
  expect(countIn(doc)).toBe(121);
});
