import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { onTestFinished, expect, test } from "vitest";
import WebSocket from "ws";
import { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { maskedFrame } from "../support/socket-peer.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { addNode, countIn, namesIn } from "../support/socket-outline.ts";
import { type SocketServer, startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";
import { Device, type SyncClient } from "../support/sync-client.ts";

/** Turns without a byte after which nothing is on its way: what was sent comes sooner on this machine. */
const QUIET_TURNS = 100;

/** What is written to a device that has a line of its own. */
interface SlowLine {
  readonly server: SocketServer;
  readonly proxy: TcpProxy;
  /** Lets a second pass: by the server's clock, and as many bytes over the line. */
  second(bytesPerSecond: number): Promise<number>;
  client(device: Device): SyncClient;
}

/** Real sockets, on which as much passes in a second of the test's clock as it says. */
async function slowLine(
  nodes: number,
  name: (index: number) => string,
  isTls = false,
): Promise<SlowLine> {
  const server = await startSocketServer({
    isLineTimeTold: true,
    isTls,
    // A state, and little behind it.
    documentLimits: { minCompactionBytes: 40_000 },
  });
  const served = await server.served();
  for (let index = 0; index < nodes; index += 100) {
    await served.write((doc) => {
      for (let at = index; at < Math.min(nodes, index + 100); at++) addNode(doc, name(at));
    });
  }
  const proxy = await TcpProxy.start(server.port);
  onTestFinished(() => proxy.stop());
  proxy.hang("down");
  return {
    server,
    proxy,
    async second(bytesPerSecond) {
      let left = bytesPerSecond;
      // What the client has to say comes through in any case.
      await wait(1);
      for (let quiet = 0; quiet < QUIET_TURNS && left > 0;) {
        const taken = proxy.take("down", left);
        left -= taken;
        quiet = taken === 0 ? quiet + 1 : 0;
        await (taken === 0 ? wait(1) : nextTurn());
      }
      server.clock.advance(500);
      server.clock.advance(500);
      return bytesPerSecond - left;
    },
    client(device) {
      const url = `${proxy.url.replace("http", isTls ? "wss" : "ws")}/sync/me`;
      return server.extended({ url, device });
    },
  };
}

const note = (index: number): string => `${index} ${"what people write ".repeat(20)}`;

/** More than the system takes at once, on a machine's line to itself. */
const longNote = (index: number): string => note(index).repeat(10);

test.each([
  { bytesPerSecond: 5_000, by: "TCP", nodes: 1_000 },
  { bytesPerSecond: 50_000, by: "TCP", nodes: 2_000 },
  { bytesPerSecond: 5_000, by: "TLS", nodes: 1_000 },
])(
  "[S48, E47] a reader of $bytesPerSecond bytes a second, by $by, gets the whole state on one connection",
  async ({ bytesPerSecond, by, nodes }) => {
    const line = await slowLine(nodes, longNote, by === "TLS");
    const device = new Device();
    const client = line.client(device);
    let bytes = 0;
    while (!client.isLive && client.closed === undefined) {
      bytes += await line.second(bytesPerSecond);
    }
    expect([client.closed, countIn(device.doc)]).toEqual([undefined, nodes]);
    expect(bytes).toBeGreaterThan(nodes * 3_000);
  },
);

test("[S48] a text of a megabyte comes in pieces, none of which takes long", async () => {
  const text = "😀 long ".repeat(60_000);
  const line = await slowLine(1, () => text);
  const server = line.server;
  // Only what is stored as a state is in pieces: an update is sent as it was made.
  await until(() => server.seen.compactions > 0);
  const device = new Device();
  const client = line.client(device);
  let silent = 0;
  let longest = 0;
  let heard = 0;
  while (!client.isLive && client.closed === undefined) {
    await line.second(20_000);
    silent = client.received.length === heard ? silent + 1 : 0;
    heard = client.received.length;
    longest = Math.max(longest, silent);
  }
  expect([client.closed, namesIn(device.doc)[0] === text]).toEqual([undefined, true]);
  expect(longest).toBeLessThan(10);
});

test("[S48] a reader that stops in the middle of a slow line is closed as any other", async () => {
  const line = await slowLine(3_000, note);
  const client = line.client(new Device());
  for (let second = 0; second < 40; second++) await line.second(5_000);
  expect(line.server.sync.sessions()).toBe(1);
  // What it has to say still comes through, but it reads nothing.
  for (let second = 0; second < 40; second++) {
    client.send({ kind: "query_awareness" });
    await line.second(0);
  }
  await until(() => line.server.seen.closed.length > 0);
  expect(line.server.seen.closed).toEqual([1013]);
});

test("[S48] who sends a long message can't say what it reads, and is not closed for that", async () => {
  const line = await slowLine(2_000, longNote);
  const { server } = line;
  const peer = await server.peer();
  peer.socket.pause();
  peer.frame(encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) }));
  const long = maskedFrame(new Uint8Array(600_000));
  for (let second = 0; second < 60; second++) {
    peer.write(long.subarray(second * 5_000, (second + 1) * 5_000));
    await line.second(0);
  }
  expect([server.seen.closed, server.sync.sessions()]).toEqual([[], 1]);
  for (let second = 0; second < 40; second++) await line.second(0);
  expect(server.seen.closed).toHaveLength(1);
});

test("[S48, S25] what is on its way to a slow reader is what it reads in some seconds", async () => {
  const line = await slowLine(3_000, note);
  const client = line.client(new Device());
  for (let second = 0; second < 60; second++) await line.second(5_000);
  expect(client.closed).toBeUndefined();
  client.setReading(false);
  const onItsWay = await line.second(10_000_000);
  expect(onItsWay).toBeGreaterThan(0);
  expect(onItsWay).toBeLessThan(64 * 1024);
});

test("[S49] a client whose line breaks in the middle of a state is sent the rest of it", async () => {
  const line = await slowLine(3_000, note);
  const device = new Device();
  let bytes = 0;
  let breaks = 0;
  for (let client = line.client(device); !client.isLive;) {
    for (let second = 0; second < 30 && !client.isLive; second++) {
      bytes += await line.second(10_000);
    }
    if (client.isLive) break;
    breaks++;
    line.proxy.dropConnections();
    await until(() => client.closed !== undefined);
    client.kill();
    // Meanwhile the state is written anew, in other parts.
    const served = await line.server.served();
    await served.write((doc) => addNode(doc, "x".repeat(20_000)));
    await line.second(0);
    client = line.client(device);
    await until(() => line.server.sync.sessions() === 1);
  }
  const served = await line.server.served();
  expect(namesIn(device.doc)).toEqual(namesIn(served.doc));
  const whole = Y.encodeStateAsUpdate(served.doc).length;
  expect(breaks).toBeGreaterThan(2);
  // With what was lost on the way at each break.
  expect(bytes).toBeLessThan(whole * 1.2 + breaks * 150_000);
});

test("[S49] what a device has of a state, and the server not, is asked for", async () => {
  const line = await slowLine(10, note);
  const served = await line.server.served();
  const device = new Device();
  Y.applyUpdate(device.doc, Y.encodeStateAsUpdate(served.doc));
  addNode(device.doc, "that the server has lost");
  device.outbox = [];
  device.epoch = served.epoch;
  const client = line.client(device);
  while (countIn(served.doc) < 11 && client.closed === undefined) await line.second(100_000);
  expect(namesIn(served.doc)).toContain("that the server has lost");
});

test("[S48] a stock client on a slow line gets everything, and hears something within its 30 seconds", async () => {
  const line = await slowLine(2_000, note);
  const doc = new Y.Doc();
  const url = `${line.proxy.url.replace("http", "ws")}/sync`;
  const provider = new WebsocketProvider(url, "me", doc, {
    protocols: ["yjs", line.server.key],
    WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
    disableBc: true,
  });
  onTestFinished(() => {
    provider.awareness.destroy();
    provider.destroy();
  });
  const closings: unknown[] = [];
  provider.on("connection-close", (event) => closings.push(event));
  let silentBytes = 0;
  let mostBytes = 0;
  let messages = 0;
  doc.on("update", () => messages++);
  for (let before = 0; !provider.synced && closings.length === 0; before = messages) {
    const bytes = await line.second(5_000);
    silentBytes = messages === before ? silentBytes + bytes : 0;
    mostBytes = Math.max(mostBytes, silentBytes);
  }
  expect([closings.length, countIn(doc)]).toEqual([0, 2_000]);
  expect(mostBytes).toBeLessThan(30 * 5_000);
});

test("[Q51, Q64] what is kept of a state for the next who want it counts as memory of outlines", async () => {
  const line = await slowLine(200, longNote);
  const { documents, seen } = line.server;
  // Before that there is no state that could be kept.
  await until(() => seen.compactions > 0);
  const before = documents.stats().bytes;
  const client = line.client(new Device());
  while (!client.isLive && client.closed === undefined) await line.second(1_000_000);
  expect(documents.stats().bytes - before).toBeGreaterThan(300_000);
});
