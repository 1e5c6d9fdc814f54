import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as Y from "yjs";
import { startServerProcess, type ServerProcess } from "../e2e/server-process.ts";
import { addNode, countIn } from "../support/socket-outline.ts";
import { Device, SyncClient } from "../support/sync-client.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { waitUntil } from "./failing-store/wait-until.ts";
import type { SoakResult, SoakRow } from "./soak-row.ts";

const SHORT = 3_000;
const NAME = "what people write, in a line of some length or other";
const NODES_IN_UPDATE = 500;

/** Bytes a second, and how often the line breaks: from 2G to 3G, and what takes some seconds. */
const LINES = {
  long: { rates: [20_000, 50_000, 200_000], breaks: 10 },
  short: { rates: [120_000], breaks: 3 },
};

/** Of messages that came as a whole: what comes before the first part on each connection. */
const LOST_BYTES = 16 * 1024;
/** By how much the parts of a rest are longer than those of the whole: deletions, and heads. */
const MORE = 1.1;

/** Devices that have nothing yet, each on a line of its own. */
export const slowLineRow: SoakRow = {
  name: "slow-line",
  fault: "new devices read an outline over lines of 20 to 200 KB/s, which break again and again",
  goal: "each has everything, no connection is closed by the server, nothing is sent twice",
  unit: "nodes",
  full: 100_000,
  short: SHORT,
  budgetMs: 60 * 60_000,
  controls: { "begins-anew": "a device that knows nothing of what it has after a break" },
  async run({ amount, control }) {
    const folder = await mkdtemp(join(tmpdir(), "outline-slow-line-"));
    const server = await startServerProcess({
      data: join(folder, "data"),
      environment: { OUTLINE_LOG_LEVEL: "warn" },
    });
    try {
      return await readAll(server, amount, control === "begins-anew");
    } finally {
      await server.stop("SIGTERM");
      await rm(folder, { recursive: true });
    }
  },
};

async function readAll(
  server: ServerProcess,
  amount: number,
  beginsAnew: boolean,
): Promise<SoakResult> {
  const whole = await write(server, amount);
  const { rates, breaks } = amount > SHORT ? LINES.long : LINES.short;
  const runs = await Promise.all(
    rates.map((rate) => readSlowly(server, { rate, breaks, whole, beginsAnew })),
  );
  const sentBytes = Math.max(...runs.map((run) => run.sentBytes));
  return {
    done: amount,
    failures: runs.flatMap(({ failures }) => failures),
    figures: { stateBytes: whole.length, sentBytes, breaks: breaks * rates.length },
  };
}

/** Answers the whole state. */
async function write({ url, key }: ServerProcess, amount: number): Promise<Uint8Array> {
  const device = new Device();
  const client = new SyncClient({ url: `${url.replace("http", "ws")}/sync/me`, key, device });
  await waitUntil(() => client.isLive, "the writer is connected");
  for (let written = 0; written < amount; written += NODES_IN_UPDATE) {
    device.doc.transact(() => {
      const end = Math.min(amount, written + NODES_IN_UPDATE);
      for (let at = written; at < end; at++) addNode(device.doc, `${at} ${NAME}`);
    });
    await waitUntil(() => client.unsaved < 4, "the server keeps up");
  }
  await waitUntil(() => client.unsaved === 0, "all is acknowledged");
  client.kill();
  return Y.encodeStateAsUpdate(device.doc);
}

interface Reading {
  readonly rate: number;
  readonly breaks: number;
  readonly whole: Uint8Array;
  readonly beginsAnew: boolean;
}

async function readSlowly(
  { url, key }: ServerProcess,
  { rate, breaks, whole, beginsAnew }: Reading,
): Promise<{ readonly sentBytes: number; readonly failures: readonly string[] }> {
  const proxy = await TcpProxy.start(Number(new URL(url).port));
  proxy.slow(rate);
  const address = `${proxy.url.replace("http", "ws")}/sync/me`;
  const device = new Device();
  const failures: string[] = [];
  let sentBytes = 0;
  try {
    for (let connection = 0; connection <= breaks; connection++) {
      const client = new SyncClient({ url: address, key, device, wantsLease: false });
      const isLast = connection === breaks;
      const until = ((connection + 1) * whole.length) / (breaks + 1);
      const isEnough = (): boolean => !isLast && sentBytes + client.bytesReceived > until;
      while (!client.isLive && client.closed === undefined && !isEnough()) await delay(5);
      sentBytes += client.bytesReceived;
      if (client.closed !== undefined) failures.push(`closed with ${client.closed.code}`);
      client.kill();
      if (!isLast) proxy.dropConnections();
      if (beginsAnew) device.epoch = "";
      if (failures.length > 0) break;
    }
  } finally {
    await proxy.stop();
  }
  const expected = new Y.Doc();
  Y.applyUpdate(expected, whole);
  if (countIn(device.doc) < countIn(expected)) {
    failures.push(`${countIn(device.doc)} of ${countIn(expected)} nodes came at ${rate} B/s`);
  }
  if (sentBytes > whole.length * MORE + breaks * LOST_BYTES) {
    failures.push(`${sentBytes} bytes were sent for a state of ${whole.length}, at ${rate} B/s`);
  }
  return { sentBytes, failures };
}
