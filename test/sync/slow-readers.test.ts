import { expect, test } from "vitest";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { addNode, countIn, namesIn } from "../support/socket-outline.ts";
import { type SocketServer, startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";

const QUEUE = 256 * 1024;
const NODE = "x".repeat(200_000);
const LIMITS = { queuedBytes: QUEUE };

/** Writes until a client that does not read has fallen behind, however much the kernel takes. */
async function flood(server: SocketServer): Promise<void> {
  const served = await server.served();
  let queued = 0;
  await until(async () => {
    await served.write((doc) => addNode(doc, NODE));
    queued = Math.max(queued, server.sync.queuedBytes());
    return server.seen.fellBehind > 0 && server.sync.queuedBytes() > 0;
  });
  // What a client is brought up to date with goes out piece by piece, here of one node each.
  expect(queued).toBeLessThan(QUEUE + NODE.length + 1000);
}

test("[S25] a client that stops reading costs its queue and no more, and is resumed", async () => {
  const server = await startSocketServer({ limits: LIMITS });
  const served = await server.served();
  const slow = server.extended();
  await until(() => slow.isLive);
  slow.setReading(false);
  await flood(server);
  slow.setReading(true);
  await until(() => slow.device.seq === served.head);
  expect(namesIn(slow.device.doc)).toEqual(namesIn(served.doc));
  expect(slow.received.at(-1)?.kind).toBe("caught_up");

  await served.write((doc) => addNode(doc, "live again"));
  await until(() => slow.device.seq === served.head);
});

test("[S25] a stock client that stops reading is brought up to date the same way", async () => {
  const server = await startSocketServer({ limits: LIMITS });
  const served = await server.served();
  const stock = server.stock();
  await until(() => stock.provider.synced);
  const socket = stock.provider.ws as unknown as { pause(): void; resume(): void };
  socket.pause();
  await flood(server);
  socket.resume();
  await until(() => countIn(stock.doc) === countIn(served.doc));
  await served.write((doc) => addNode(doc, "live again"));
  await until(() => countIn(stock.doc) === countIn(served.doc));
});

test("[S25] one that reads is not held up by one that does not", async () => {
  const server = await startSocketServer({ limits: LIMITS });
  const served = await server.served();
  const slow = server.extended();
  const reader = server.extended();
  await until(() => slow.isLive && reader.isLive);
  slow.setReading(false);
  await flood(server);
  await until(() => reader.device.seq === served.head);
  expect(slow.device.seq).toBeLessThan(served.head);
});

test("[S25] a client that goes on not reading is closed", async () => {
  const server = await startSocketServer({
    limits: { ...LIMITS, stalledMs: 10_000, heartbeatMs: 1_000_000 },
  });
  const slow = server.extended();
  await until(() => slow.isLive);
  slow.setReading(false);
  await flood(server);
  server.clock.advance(1000);
  await until(() => server.sync.queuedBytes() > 0);
  server.clock.advance(8000);
  expect(server.sync.sessions()).toBe(1);
  await until(() => {
    server.clock.advance(1000);
    return server.sync.sessions() === 0;
  });
  expect(server.sync.queuedBytes()).toBe(0);
});

test("[S25] a whole state goes out no faster than it is read", async () => {
  const server = await startSocketServer({ limits: LIMITS });
  const served = await server.served();
  for (let count = 0; count < 60; count++) await served.write((doc) => addNode(doc, NODE));
  const slow = server.extended();
  slow.setReading(false);
  await until(() => server.sync.queuedBytes() > 0);
  // Time for all of it, if nothing held it back.
  for (let count = 0; count < 50; count++) (await server.peer()).socket.destroy();
  expect(server.sync.queuedBytes()).toBeLessThan(QUEUE + NODE.length + 1000);
  await served.write((doc) => addNode(doc, "meanwhile"));
  slow.setReading(true);
  await until(() => slow.device.seq === served.head);
  expect(namesIn(slow.device.doc)).toEqual(namesIn(served.doc));
});

test("[S24] a client with too much that is not durable is not read until it is", async () => {
  const server = await startSocketServer({ limits: { unacknowledgedUpdates: 10 } });
  const served = await server.served();
  const client = server.extended();
  await until(() => client.isLive);
  addNode(client.device.doc, "first");
  await until(() => client.unsaved === 0);
  server.store.hold();
  for (let count = 0; count < 200; count++) addNode(client.device.doc, "x".repeat(50_000));
  await until(() => countIn(served.doc) > 10);
  // What was read by then is handled within the time of a handshake.
  const other = await server.peer();
  other.frame(encodeMessage({ kind: "query_awareness" }));
  expect(countIn(served.doc)).toBeLessThan(20);
  server.store.release();
  await until(() => client.unsaved === 0);
  expect(countIn(served.doc)).toBe(201);
});
