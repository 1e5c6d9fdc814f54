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
import { type DeviceKind, openDevice, type SlowDevice } from "./slow-line/slow-device.ts";
import type { SoakResult, SoakRow, SoakTask } from "./soak-row.ts";

const SHORT = 3_000;
const NAME = "what people write, in a line of some length or other";
const NODES_IN_UPDATE = 500;

interface Line {
  readonly kind: DeviceKind;
  /** Bytes a second, in each direction. */
  readonly rate: number;
  /** How often it breaks on the way. */
  readonly breaks: number;
}

/** From 2G to 3G. Of a stock client all that is unsent is one message, which begins anew at a break. */
const LONG = {
  readers: [
    { kind: "library", rate: 5_000, breaks: 10 },
    { kind: "library", rate: 50_000, breaks: 10 },
    { kind: "stock", rate: 20_000, breaks: 10 },
  ],
  senders: [
    { kind: "library", rate: 5_000, breaks: 5 },
    { kind: "library", rate: 50_000, breaks: 5 },
    { kind: "stock", rate: 5_000, breaks: 1 },
  ],
} as const satisfies Lines;
const FEW = {
  readers: [
    { kind: "library", rate: 50_000, breaks: 2 },
    { kind: "stock", rate: 50_000, breaks: 2 },
  ],
  senders: [
    { kind: "library", rate: 20_000, breaks: 2 },
    { kind: "stock", rate: 20_000, breaks: 1 },
  ],
} as const satisfies Lines;

interface Lines {
  readonly readers: readonly Line[];
  readonly senders: readonly Line[];
}

/** For each node of the outline a sender writes so many. */
const SENT_SHARE = 0.1;
/** What is on its way at a break, and comes twice. */
const LOST_BYTES = 48 * 1024;
/** By how much the parts of a rest are longer than those of the whole: deletions, and heads. */
const MORE = 1.1;

/** Devices on slow lines that break. */
export const slowLineRow: SoakRow = {
  name: "slow-line",
  fault: "devices read an outline and send edits over lines of 5 to 50 KB/s, which break",
  goal: "all is there at both ends, the server closes no connection, nothing is read twice",
  unit: "nodes",
  full: 100_000,
  short: SHORT,
  budgetMs: 90 * 60_000,
  controls: { "begins-anew": "readers that know nothing of what they have after a break" },
  async run({ amount, control, goesOn }) {
    const folder = await mkdtemp(join(tmpdir(), "outline-slow-line-"));
    const server = await startServerProcess({
      data: join(folder, "data"),
      environment: { OUTLINE_LOG_LEVEL: "warn" },
    });
    try {
      return await overLines(server, { amount, beginsAnew: control === "begins-anew", goesOn });
    } finally {
      await server.stop("SIGTERM");
      await rm(folder, { recursive: true });
    }
  },
};

interface Run {
  readonly amount: number;
  readonly beginsAnew: boolean;
  readonly goesOn: SoakTask["goesOn"];
}

/** What is told of one line. */
interface Passage {
  readonly bytes: number;
  readonly failures: readonly string[];
}

async function overLines(server: ServerProcess, run: Run): Promise<SoakResult> {
  const { amount } = run;
  const { readers, senders } = amount > SHORT ? LONG : FEW;
  const device = new Device();
  const { url, key } = server;
  const writer = new SyncClient({ url: `${url.replace("http", "ws")}/sync/me`, key, device });
  try {
    await write(writer, amount);
    const stateBytes = Y.encodeStateAsUpdate(device.doc).length;
    const read = await Promise.all(
      readers.map((line) => readSlowly(server, line, { ...run, stateBytes })),
    );
    const sent: Passage[] = [];
    // A control is known by its readers.
    if (!run.beginsAnew) {
      for (const line of senders) sent.push(await sendSlowly(server, line, run, device.doc));
    }
    const failures = [...read, ...sent].flatMap((each) => each.failures);
    if (writer.closed !== undefined) failures.push(`the writer was closed: ${writer.closed.code}`);
    return {
      done: amount,
      failures,
      figures: {
        stateBytes,
        readBytes: Math.max(...read.map(({ bytes }) => bytes)),
        sentBytes: Math.max(0, ...sent.map(({ bytes }) => bytes)),
      },
    };
  } finally {
    writer.kill();
  }
}

async function write(writer: SyncClient, amount: number): Promise<void> {
  const { doc } = writer.device;
  await waitUntil(() => writer.isLive, "the writer is connected");
  for (let written = 0; written < amount; written += NODES_IN_UPDATE) {
    doc.transact(() => {
      const end = Math.min(amount, written + NODES_IN_UPDATE);
      for (let at = written; at < end; at++) addNode(doc, `${at} ${NAME}`);
    });
    await waitUntil(() => writer.unsaved < 4, "the server keeps up");
  }
  await waitUntil(() => writer.unsaved === 0, "all is acknowledged");
}

async function readSlowly(
  { url, key }: ServerProcess,
  { kind, rate, breaks }: Line,
  { amount, beginsAnew, goesOn, stateBytes }: Run & { readonly stateBytes: number },
): Promise<Passage> {
  const proxy = await TcpProxy.start(Number(new URL(url).port));
  proxy.slow(rate);
  let device = await openDevice(kind, proxy.url, key);
  const failures: string[] = [];
  const most = Math.round(stateBytes * MORE + breaks * LOST_BYTES);
  const who = `a ${kind} reader at ${rate} B/s`;
  try {
    for (let done = 0; done < breaks; done++) {
      const enough = (stateBytes * (done + 1)) / (breaks + 1);
      while (proxy.carried("down") < enough && goesOn(0)) await delay(5);
      proxy.dropConnections();
      if (!beginsAnew) continue;
      await device.close();
      device = await openDevice(kind, proxy.url, key);
    }
    while (device.count() < amount && proxy.carried("down") < most && goesOn(0)) await delay(5);
    const bytes = proxy.carried("down");
    const count = device.count();
    if (count < amount)
      failures.push(`${who} has ${count} of ${amount} nodes after ${bytes} bytes`);
    failures.push(...device.codes.map((code) => `${who} was closed with ${code}`));
    return { bytes, failures };
  } finally {
    await device.close();
    await proxy.stop();
  }
}

/** @param witness has what the server has */
async function sendSlowly(
  { url, key }: ServerProcess,
  { kind, rate, breaks }: Line,
  { amount, goesOn }: Run,
  witness: Y.Doc,
): Promise<Passage> {
  const proxy = await TcpProxy.start(Number(new URL(url).port));
  const before = countIn(witness);
  const device: SlowDevice = await openDevice(kind, proxy.url, key);
  try {
    await waitUntil(() => device.count() === before, "a sender has what is there");
    proxy.slow(rate);
    const names = Array.from({ length: amount * SENT_SHARE }, (_, at) => `${kind} ${at} ${NAME}`);
    device.write(names);
    const start = proxy.carried("up");
    for (let done = 0; done < breaks; done++) {
      const enough = start + ((done + 1) * names.length * NAME.length) / (breaks + 1);
      while (proxy.carried("up") < enough && goesOn(0)) await delay(5);
      proxy.dropConnections();
    }
    while (countIn(witness) < before + names.length && goesOn(0)) await delay(5);
    const who = `of a ${kind} sender at ${rate} B/s`;
    const failures = device.codes.map((code) => `a connection ${who} was closed with ${code}`);
    const came = countIn(witness) - before;
    if (came < names.length) failures.push(`${came} of ${names.length} nodes ${who} came`);
    return { bytes: proxy.carried("up") - start, failures };
  } finally {
    await device.close();
    await proxy.stop();
  }
}
