import { randomBytes } from "node:crypto";
import { argv } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { WebSocket } from "ws";
import * as Y from "yjs";
import { newNodeKey } from "../../src/core/node-key.ts";
import { decodeServerMessage } from "../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/message.ts";
import { SUBPROTOCOL } from "../../src/protocol/subprotocol.ts";
import { median, percentile } from "./median.ts";
import { ServerProcess } from "./server-process.ts";
import type { Connected, ConnectorRole } from "./sync-connector.ts";
import type { SyncRole, SyncServer } from "./sync-server.ts";
import { messageOf, openSocket } from "./sync-sockets.ts";

type Server = ServerProcess<SyncServer>;

function start(role: SyncRole): Promise<Server> {
  return ServerProcess.start<SyncServer, SyncRole>("./sync-server.ts", role);
}

/** The server writes under lesser ids. */
const FIRST_CLIENT = 2 ** 29;

/** Somebody who types at the end of one node, as updates made in advance. */
function keystrokesOf(
  count: number,
  prefix: readonly number[] = [],
): { readonly first: Uint8Array; readonly rest: Uint8Array[] } {
  const doc = new Y.Doc();
  doc.clientID = FIRST_CLIENT + Math.floor(Math.random() * FIRST_CLIENT);
  const updates: Uint8Array[] = [];
  doc.on("update", (update: Uint8Array) => updates.push(update));
  const text = new Y.Text("typed: ");
  doc.getMap("nodes").set(newNodeKey(Math.random), text);
  for (let index = 0; index < count; index++) text.insert(text.length, "a");
  const [first, ...rest] = updates.map((update) =>
    Uint8Array.from([...prefix, ...encodeMessage({ kind: "update", update })]),
  );
  return { first: first ?? new Uint8Array(), rest };
}

const CLIENTS = 100;
const KEYSTROKES = 800;

/** Who types, and how fast. */
interface Typing {
  readonly typists: number;
  /** Keystrokes of all together in a second; or how many are on their way at most. */
  readonly pace: { readonly perSecond: number } | { readonly inFlight: number };
}

/** Counts the structs of others' updates as they come: each keystroke is one. */
class Arrived {
  #clocks = new Map<number, number>();
  count = 0;

  take(update: Uint8Array): void {
    for (const [client, clock] of Y.parseUpdateMeta(update).to) {
      const known = this.#clocks.get(client) ?? 0;
      if (client < FIRST_CLIENT || clock <= known) continue;
      this.#clocks.set(client, clock);
      this.count += clock - known;
    }
  }
}

/** Processor microseconds of the server for a keystroke that goes to a hundred clients. */
async function fanOut(server: Server, { typists, pace }: Typing): Promise<number> {
  const { url, key, prefix = [] } = server.listening;
  const open = (): Promise<WebSocket> => openSocket(url, key, undefined, prefix);
  const sockets = await Promise.all(Array.from({ length: CLIENTS }, open));
  const observer = await open();
  const arrived = new Arrived();
  observer.on("message", (data: Buffer) => {
    const message = decodeServerMessage(new Uint8Array(data.subarray(prefix.length)));
    if (message.kind === "update" || message.kind === "step2") arrived.take(message.update);
  });
  const plans = sockets
    .slice(0, typists)
    .map((socket) => ({ socket, ...keystrokesOf(KEYSTROKES / typists, prefix) }));
  for (const { socket, first } of plans) socket.send(first);
  await delay(500);
  const arrivedBefore = arrived.count;
  const before = await server.cpuMs();
  const begin = performance.now();
  for (let sent = 0; sent < KEYSTROKES; sent++) {
    const plan = plans[sent % typists];
    plan?.socket.send(plan.rest[Math.floor(sent / typists)] ?? new Uint8Array());
    if ("inFlight" in pace) {
      while (sent + 1 - (arrived.count - arrivedBefore) >= pace.inFlight) await delay(0);
    } else {
      const wait = begin + ((sent + 1) * 1000) / pace.perSecond - performance.now();
      if (wait > 1) await delay(wait);
    }
  }
  while (arrived.count - arrivedBefore < KEYSTROKES) await delay(5);
  const used = (await server.cpuMs()) - before;
  for (const socket of [...sockets, observer]) socket.terminate();
  return (used / KEYSTROKES) * 1000;
}

/** Processor milliseconds of the server for a new stock client that gets everything. */
async function coldSync(server: Server): Promise<{ readonly ms: number; readonly bytes: number }> {
  const { url, key } = server.listening;
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < 6; round++) {
    bytes = 0;
    const before = await server.cpuMs();
    const socket = await openSocket(url, key, (length) => (bytes += length));
    times.push((await server.cpuMs()) - before);
    socket.terminate();
  }
  return { ms: median(times.slice(1)), bytes };
}

interface Resumed {
  readonly epoch: string;
  readonly head: number;
  readonly bytes: number;
}

/** Connects as an extended client that stands at `seq`, and leaves when it has been brought up. */
function resume(
  { url, key }: SyncServer,
  epoch: string,
  seq: number,
  until: "welcome" | "caught_up",
): Promise<Resumed> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, [SUBPROTOCOL.extended, key], { perMessageDeflate: false });
    const instance = new Uint8Array(randomBytes(16));
    let known = { epoch: "", head: 0 };
    let bytes = 0;
    socket.on("open", () =>
      socket.send(
        encodeMessage({ kind: "hello", version: PROTOCOL_VERSION, instance, epoch, seq }),
      ),
    );
    socket.on("message", (data: Buffer) => {
      bytes += data.byteLength;
      const message = messageOf(data);
      if (message.kind === "welcome") known = { epoch: message.epoch, head: message.head };
      if (message.kind !== until) return;
      socket.terminate();
      resolve({ ...known, bytes });
    });
    socket.on("error", reject);
  });
}

/** What it costs to bring a device up that is ten edits behind. */
async function reconnect(server: Server): Promise<{ readonly ms: number; readonly bytes: number }> {
  const { url, key } = server.listening;
  const { epoch, head } = await resume(server.listening, "", 0, "welcome");
  for (let index = 0; index < 10; index++) {
    const response = await fetch(
      `${url.replace("ws", "http").replace("/sync/me", "")}/api/v1/nodes`,
      {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ name: `an edit, made elsewhere, number ${index}` }),
      },
    );
    await response.json();
  }
  const rounds = 50;
  let bytes = 0;
  await resume(server.listening, epoch, head, "caught_up");
  const before = await server.cpuMs();
  for (let round = 0; round < rounds; round++) {
    ({ bytes } = await resume(server.listening, epoch, head, "caught_up"));
  }
  return { ms: ((await server.cpuMs()) - before) / rounds, bytes };
}

/** With the two others as many as one address may have. */
const CONNECTIONS = 998;

/** Opens as many within two seconds; they end with the process that has them. */
function connect({ listening }: Server): Promise<ServerProcess<Connected>> {
  const { url, keys } = listening;
  return ServerProcess.start<Connected, ConnectorRole>("./sync-connector.ts", {
    url,
    keys,
    count: CONNECTIONS,
    withinMs: 2000,
  });
}

/** A thousand connections within two seconds, and what an unrelated pair of clients feels of them. */
async function manyConnections(server: Server): Promise<{
  readonly failed: number;
  readonly cpuMs: number;
  readonly p99Ms: number;
  readonly heapBytes: number;
}> {
  const { url, otherKey } = server.listening;
  const [one, two] = await Promise.all([openSocket(url, otherKey), openSocket(url, otherKey)]);
  const { first, rest } = keystrokesOf(1000);
  const heapBefore = await server.heapBytes();
  const cpuBefore = await server.cpuMs();

  const latencies: number[] = [];
  let sentAt = 0;
  two.on("message", () => latencies.push(performance.now() - sentAt));
  one.send(first);
  let isDone = false;
  const connecting = connect(server).then((connector) => {
    isDone = true;
    return connector;
  });
  for (const keystroke of rest) {
    await delay(10);
    if (isDone) break;
    sentAt = performance.now();
    one.send(keystroke);
  }
  const connector = await connecting;
  const cpuMs = ((await server.cpuMs()) - cpuBefore) / CONNECTIONS;
  await delay(1000);
  const heapBytes = ((await server.heapBytes()) - heapBefore) / CONNECTIONS;
  await connector.stop();
  one.terminate();
  two.terminate();
  const { failed } = connector.listening;
  return { failed, cpuMs, p99Ms: percentile(latencies, 0.99), heapBytes };
}

const TYPING = {
  one: { typists: 1, pace: { perSecond: 100 } },
  all: { typists: CLIENTS, pace: { perSecond: 200 } },
  oneAtOnce: { typists: 1, pace: { inFlight: 32 } },
  allAtOnce: { typists: CLIENTS, pace: { inFlight: 32 } },
} as const satisfies Record<string, Typing>;

/** Rounds of the service and of what it is held against, index by index. */
export interface FanOutRounds {
  /** Processor microseconds of the server for a keystroke that goes to a hundred clients. */
  readonly service: readonly number[];
  /** A relay that makes each keystroke durable with a bare group commit before it passes it on. */
  readonly floor: readonly number[];
  /** Stores nothing. */
  readonly hocuspocus: readonly number[];
}

export type FanOutFigures = Readonly<Record<keyof typeof TYPING, FanOutRounds>>;

const FAN_OUT_ROUNDS = 5;

/** What a keystroke costs when one or all of a hundred clients type. */
export async function benchFanOut(): Promise<FanOutFigures> {
  const servers = {
    service: await start({ kind: "service", nodes: 0 }),
    floor: await start({ kind: "relay", isDurable: true }),
    hocuspocus: await start({ kind: "hocuspocus" }),
  };
  const measure = async (typing: Typing): Promise<FanOutRounds> => {
    const rounds = { service: [], floor: [], hocuspocus: [] } as Record<
      keyof FanOutRounds,
      number[]
    >;
    for (let round = 0; round <= FAN_OUT_ROUNDS; round++) {
      for (const name of ["service", "floor", "hocuspocus"] as const) {
        const us = await fanOut(servers[name], typing);
        // The first round warms them up.
        if (round > 0) rounds[name].push(us);
      }
    }
    return rounds;
  };
  const figures = {
    one: await measure(TYPING.one),
    all: await measure(TYPING.all),
    oneAtOnce: await measure(TYPING.oneAtOnce),
    allAtOnce: await measure(TYPING.allAtOnce),
  };
  for (const server of Object.values(servers)) await server.stop();
  return figures;
}

export interface ConnectionFigures {
  readonly failed: number;
  /** Processor milliseconds of a server for each: of one that has just started, then of the same. */
  readonly first: { readonly service: number; readonly floor: number };
  readonly further: { readonly service: number; readonly floor: number };
  readonly othersP99Ms: number;
  /** Bytes on the heap for each, when nothing happens. */
  readonly idleBytes: number;
}

const FURTHER_ROUNDS = 2;

/**
 * A thousand connections within two seconds, on a server without history, beside a relay that only
 * answers each with an empty document.
 */
export async function benchConnections(): Promise<ConnectionFigures> {
  const floor = await start({ kind: "relay", isDurable: false });
  const service = await start({ kind: "service", nodes: 0 });
  const floorFirst = await connectMany(floor);
  const { failed, cpuMs, p99Ms, heapBytes } = await manyConnections(service);
  const further = { service: cpuMs, floor: floorFirst };
  for (let round = 0; round < FURTHER_ROUNDS; round++) {
    further.floor = await connectMany(floor);
    further.service = await connectMany(service);
  }
  for (const server of [floor, service]) await server.stop();
  const first = { service: cpuMs, floor: floorFirst };
  return { failed, first, further, othersP99Ms: p99Ms, idleBytes: heapBytes };
}

/** Processor milliseconds of the server for each of as many connections. */
async function connectMany(server: Server): Promise<number> {
  const before = await server.cpuMs();
  const connector = await connect(server);
  const cpuMs = ((await server.cpuMs()) - before) / CONNECTIONS;
  await connector.stop();
  // What their end costs is not theirs any more.
  await delay(500);
  return cpuMs;
}

export interface LargeSyncFigures {
  readonly coldMs: number;
  readonly coldBytes: number;
  readonly reconnectMs: number;
  readonly reconnectBytes: number;
}

/** What it costs to send an outline to a new client, and ten edits to one that knows it. */
export async function benchLargeSync(nodes: number): Promise<LargeSyncFigures> {
  const server = await start({ kind: "service", nodes });
  const cold = await coldSync(server);
  const resumed = await reconnect(server);
  await server.stop();
  return {
    coldMs: cold.ms,
    coldBytes: cold.bytes,
    reconnectMs: resumed.ms,
    reconnectBytes: resumed.bytes,
  };
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const fanOuts = await benchFanOut();
  for (const rounds of Object.values(fanOuts)) {
    console.table(Object.entries(rounds).map(([what, us]) => ({ what, us: median(us) })));
  }
  console.table([await benchConnections()]);
  console.table([await benchLargeSync(Number(argv[2] ?? 100_000))]);
}
