import { connect } from "node:net";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { encodeAwarenessUpdate } from "../../src/protocol/awareness-update.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { addNode, namesIn } from "../support/socket-outline.ts";
import { maskedFrame, type SocketPeer } from "../support/socket-peer.ts";
import { startSocketServer, type SocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);
const HEARTBEAT = Buffer.from(
  encodeMessage({ kind: "awareness", update: encodeAwarenessUpdate([]) }),
);
const LIMITS = { messageBytes: 64 * 1024 };

/** The server still serves: a bystander is connected and hears what another writes. */
async function expectUnharmed(server: SocketServer): Promise<void> {
  const served = await server.served();
  const bystander = server.stock();
  await until(() => bystander.provider.synced);
  const name = `after ${Math.random()}`;
  await served.write((doc) => addNode(doc, name));
  await until(() => namesIn(bystander.doc).includes(name));
  bystander.provider.disconnect();
  expect(server.seen.errors).toEqual([]);
}

const EMPTY = bytes();
const BAD_FRAMES: readonly (readonly [string, number, (peer: SocketPeer) => void])[] = [
  ["a reserved opcode", 1002, (peer) => peer.write(bytes(0x83, 0x80))],
  ["a reserved bit", 1002, (peer) => peer.write(bytes(0xc2, 0x80, 0, 0, 0, 0))],
  ["no mask", 1002, (peer) => peer.write(bytes(0x82, 0x01, 0))],
  ["2^40 bytes announced", 1009, (peer) => peer.write(bytes(0x82, 0xff, 0, 0, 1, 0, 0, 0, 0, 0))],
  ["2^63 bytes announced", 1009, (peer) => peer.write(bytes(0x82, 0xff, 128, 0, 0, 0, 0, 0, 0, 0))],
  ["a frame over the hard limit", 1009, (peer) => peer.frame(new Uint8Array(200_000))],
  ["a continuation of nothing", 1002, (peer) => peer.frame(bytes(1), 0x80)],
  [
    "a new message within fragments",
    1002,
    (peer) => {
      peer.frame(bytes(0), 0x02);
      peer.frame(bytes(0), 0x02);
    },
  ],
  [
    "fragments without end",
    1009,
    (peer) => {
      peer.frame(new Uint8Array(60_000), 0x02);
      for (let count = 0; count < 3; count++) peer.frame(new Uint8Array(60_000), 0x00);
    },
  ],
  [
    "twenty thousand empty fragments",
    1008,
    (peer) => {
      const empty = maskedFrame(EMPTY, 0x00);
      peer.frame(EMPTY, 0x02);
      peer.write(Buffer.concat(Array.from({ length: 20_000 }, () => empty)));
    },
  ],
  ["a fragmented ping", 1002, (peer) => peer.frame(EMPTY, 0x09)],
  ["a ping of 126 bytes", 1002, (peer) => peer.frame(new Uint8Array(126), 0x89)],
  ["a close with an invalid code", 1002, (peer) => peer.frame(bytes(0, 1), 0x88)],
  ["a text message", 4400, (peer) => peer.frame(Buffer.from("hello"), 0x81)],
  ["text that is no UTF-8", 1007, (peer) => peer.frame(bytes(0xff, 0xfe), 0x81)],
  ["a message over the limit", 4413, (peer) => peer.frame(new Uint8Array(65_537))],
  ["an empty message", 4400, (peer) => peer.frame(EMPTY)],
  ["an unknown type", 4400, (peer) => peer.frame(bytes(42))],
  ["an unknown sync message", 4400, (peer) => peer.frame(bytes(0, 7))],
  ["a sync message that ends early", 4400, (peer) => peer.frame(bytes(0, 2, 5, 1))],
  ["a state vector that is none", 4400, (peer) => peer.frame(bytes(0, 0, 3, 9, 9, 9))],
  ["an awareness update that is none", 4400, (peer) => peer.frame(bytes(1, 2, 9, 9))],
  [
    "presences of 100,000 clients",
    4400,
    (peer) => {
      const state = Buffer.from("1");
      const presences = Array.from({ length: 20_000 }, (_, client) => ({
        client,
        clock: 1,
        state,
      }));
      peer.frame(
        encodeMessage({ kind: "awareness", update: encodeAwarenessUpdate(presences) }).subarray(
          0,
          65_000,
        ),
      );
    },
  ],
  [
    "a presence of 5 KB",
    4413,
    (peer) => {
      const state = Buffer.from(JSON.stringify("x".repeat(5000)));
      peer.frame(
        encodeMessage({
          kind: "awareness",
          update: encodeAwarenessUpdate([{ client: 1, clock: 1, state }]),
        }),
      );
    },
  ],
  [
    "hello without having asked for it",
    4400,
    (peer) =>
      peer.frame(
        encodeMessage({
          kind: "hello",
          version: 1,
          instance: new Uint8Array(16),
          epoch: "",
          seq: 0,
        }),
      ),
  ],
  ["a server's message", 4400, (peer) => peer.frame(encodeMessage({ kind: "caught_up", seq: 1 }))],
  [
    "a permission message",
    4400,
    (peer) => peer.frame(encodeMessage({ kind: "permission_denied", reason: "" })),
  ],
];

test.each(BAD_FRAMES)(
  "[S26] %s closes its connection with %i, and no other",
  async (_name, code, send) => {
    const server = await startSocketServer({ limits: LIMITS });
    const peer = await server.peer();
    send(peer);
    await until(() => peer.closeCode !== undefined || peer.isClosed);
    expect(peer.closeCode).toBe(code);
    await expectUnharmed(server);
  },
);

test("[S26] a bad frame in the same packet as the handshake", async () => {
  const server = await startSocketServer();
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    `GET /sync/me HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nsec-websocket-version: 13\r\nsec-websocket-protocol: yjs, ${server.key}\r\n\r\n\u0083\u0080`,
    "latin1",
  );
  await until(() => socket.bytesRead > 100);
  socket.destroy();
  await expectUnharmed(server);
});

test("[S26] random frames, random bytes, flipped bits: the server serves on", async () => {
  const random = seededRandom(7);
  const server = await startSocketServer({ limits: { ...LIMITS, connectionsPerUser: 1000 } });
  const step1 = encodeMessage({ kind: "step1", stateVector: bytes(0) });
  for (let run = 0; run < 150; run++) {
    const peer = await server.peer();
    const noise = Uint8Array.from({ length: Math.floor(random() * 200) }, () => random() * 256);
    if (run % 3 === 0) peer.write(noise);
    else if (run % 3 === 1) peer.frame(noise);
    else {
      const frame = maskedFrame(step1);
      const at = Math.floor(random() * frame.length);
      frame[at] = (frame[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      peer.write(frame);
    }
    if (run % 2 === 0) peer.socket.resetAndDestroy();
    else peer.socket.end();
  }
  await until(() => server.sync.sessions() === 0);
  await expectUnharmed(server);
});

test("[S28] who asks without end is closed with 4429", async () => {
  const server = await startSocketServer();
  const peer = await server.peer();
  const question = encodeMessage({ kind: "query_awareness" });
  for (let count = 0; count < 100; count++) peer.frame(question);
  await until(() => peer.closeCode !== undefined);
  expect(peer.closeCode).toBe(4429);
});

test("[S29, Q71] who never says what it has is closed with 4408", async () => {
  const server = await startSocketServer();
  const peer = await server.peer();
  peer.frame(encodeMessage({ kind: "query_awareness" }));
  await until(() => server.sync.sessions() === 1);
  server.clock.advance(12_000);
  await until(() => peer.closeCode !== undefined);
  expect(peer.closeCode).toBe(4408);
});

test("[S29] who has said what it has waits for its outline as long as that takes", async () => {
  let letLoad = (): void => undefined;
  const mayLoad = new Promise<void>((resolve) => {
    letLoad = resolve;
  });
  let isHeld = false;
  const server = await startSocketServer({
    documentLimits: { loadTimeoutMs: 10 ** 9 },
    async beforeLoad() {
      if (isHeld) await mayLoad;
    },
  });
  await (await server.served()).write((doc) => addNode(doc, "there"));
  server.documents.evictAll("restored");
  await until(() => server.documents.stats().open === 0);
  const { loads } = server.seen;
  isHeld = true;
  const client = server.extended();
  const stock = await server.peer();
  const step1 = encodeMessage({ kind: "step1", stateVector: bytes(0) });
  stock.write(Buffer.concat([maskedFrame(step1, 0x82), maskedFrame(EMPTY, 0x89)]));
  await until(() => server.seen.loads > loads && stock.hasPong);
  // Nothing is read of them meanwhile, the answers to pings neither.
  for (let beat = 1; beat <= 4; beat++) {
    for (let second = 0; second < 15; second++) server.clock.advance(1_000);
    await until(() => stock.messages.length >= beat);
  }
  expect([client.closed, stock.closeCode]).toEqual([undefined, undefined]);
  letLoad();
  await until(
    () => client.isLive && stock.messages.some(([kind, step]) => kind === 0 && step === 1),
  );
});

test("[S29] a stock client hears something with every ping while what it lacks is read, too", async () => {
  let letRead = (): void => undefined;
  const mayRead = new Promise<void>((resolve) => {
    letRead = resolve;
  });
  let isHeld = false;
  const server = await startSocketServer({
    documentLimits: { loadTimeoutMs: 10 ** 9 },
    async beforeLoad(_outline, read) {
      // It is read once more than for the step 1 that asks the client.
      if (isHeld && read === "tail" && ++reads > 1) await mayRead;
    },
  });
  await (await server.served()).write((doc) => addNode(doc, "there"));
  server.documents.evictAll("restored");
  await until(() => server.documents.stats().open === 0);
  const stock = await server.peer();
  let reads = 0;
  const { loads } = server.seen;
  isHeld = true;
  stock.frame(encodeMessage({ kind: "step1", stateVector: bytes(0) }));
  await until(() => server.seen.loads > loads + 1);
  for (let beat = 1; beat <= 3; beat++) {
    server.clock.advance(15_000);
    await until(() => stock.messages.length >= beat);
    stock.frame(EMPTY, 0x8a);
    // The pong has arrived when a whole handshake has.
    (await server.peer()).socket.destroy();
  }
  letRead();
  await until(() => stock.messages.some(([kind, step]) => kind === 0 && step === 1));
});

test("[S29, Q71] the time to begin ends when the first message has begun to come", async () => {
  const server = await startSocketServer();
  const peer = await server.peer();
  const known = new Map(Array.from({ length: 4_000 }, (_, client) => [client + 1, 1]));
  const message = encodeMessage({ kind: "step1", stateVector: Y.encodeStateVector(known) });
  peer.frame(message.subarray(0, 8_000), 0x02);
  await until(() => server.memory.bytes > 0);
  server.clock.advance(12_000);
  peer.frame(message.subarray(8_000), 0x80);
  await until(() => peer.messages.length > 0);
  expect(peer.closeCode).toBe(undefined);
});

test("[S29] a connection that answers no ping is ended, one that does stays", async () => {
  const server = await startSocketServer();
  const dead = await server.peer();
  const alive = server.stock();
  dead.frame(encodeMessage({ kind: "step1", stateVector: bytes(0) }));
  await until(() => alive.provider.synced && dead.messages.length >= 2);
  let heartbeats = 0;
  // Of what else it is sent the last may still be on its way.
  alive.provider.ws?.addEventListener("message", ({ data }) => {
    if (HEARTBEAT.equals(new Uint8Array(data))) heartbeats++;
  });
  for (let beat = 1; beat <= 3; beat++) {
    server.clock.advance(15_000);
    await until(() => heartbeats === beat);
    // The pong was sent before: it has arrived when a whole handshake has.
    (await server.peer()).socket.destroy();
  }
  await until(() => dead.isClosed && server.sync.sessions() === 1);
  expect([server.sync.sessions(), alive.provider.synced]).toEqual([1, true]);
});
