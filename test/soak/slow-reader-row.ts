import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as Y from "yjs";
import { DEFAULT_SYNC_LIMITS } from "../../src/sync/sync-limits.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { startServerProcess, type ServerProcess } from "../e2e/server-process.ts";
import { waitUntil } from "./failing-store/wait-until.ts";
import { extendedReader, stockReader, type Reader } from "./slow-reader/reader.ts";
import { COLLECTING, metricOf, memoryAtRest, peakWhile } from "./slow-reader/server-memory.ts";
import { Traffic } from "./slow-reader/traffic.ts";
import type { SoakResult, SoakRow } from "./soak-row.ts";

const MIB = 1024 * 1024;
const SHORT = 32;
/** By how much the same server differs from itself at rest, and at work. */
const NOISE_AT_REST_MIB = 2;
const NOISE_AT_WORK_MIB = 32;

/** What a newcomer reads for longer than all the others write. */
const STATE_MIB = 12;
const NEWCOMER_BYTES_PER_SECOND = 90_000;

/** Two that stop reading, one of each dialect, one that has much to read first, and two that go on. */
export const slowReaderRow: SoakRow = {
  name: "slow-reader",
  fault: "readers of both dialects stop reading, and one catches up at 90 KB/s, while 100 MB pass",
  goal: "memory grows by at most the cap for each, they are dropped and recover, others get all",
  unit: "MB",
  full: 100,
  short: SHORT,
  budgetMs: 20 * 60_000,
  controls: { "no-cap": "a connection may have any number of unsent bytes" },
  async run({ amount, control }) {
    const data = await mkdtemp(join(tmpdir(), "outline-slow-reader-"));
    const server = await startServerProcess({
      data,
      environment: {
        OUTLINE_LOG_LEVEL: "warn",
        ...(control === "no-cap" && { OUTLINE_MAX_QUEUED_BYTES: String(1024 * MIB) }),
      },
      nodeOptions: COLLECTING,
    });
    try {
      return await passBy(server, amount, amount > SHORT);
    } finally {
      await server.stop("SIGTERM");
      await rm(data, { recursive: true });
    }
  },
};

/** @param untilDropped whether they read nothing until the server has had enough of it */
async function passBy(
  server: ServerProcess,
  amount: number,
  untilDropped: boolean,
): Promise<SoakResult> {
  const { url, key } = server;
  const failures: string[] = [];
  const traffic = new Traffic({ url: `${url.replace("http", "ws")}/sync/me`, key });
  const going = [stockReader("stock", url, key), extendedReader("extended", url, key)];
  const slow = [stockReader("slow stock", url, key), extendedReader("slow extended", url, key)];
  const haveAll = (readers: readonly Reader[]): boolean =>
    readers.every(({ doc }) => isSame(doc, traffic.outline.doc));
  const proxy = await TcpProxy.start(Number(new URL(url).port));
  proxy.slow(NEWCOMER_BYTES_PER_SECOND);
  let newcomer: Reader | undefined;
  try {
    await traffic.plant(STATE_MIB * MIB);
    // The first pass fills what fills once: the store's buffers, and the compiler's.
    await traffic.pass((amount / 4) * MIB);
    await waitUntil(() => haveAll([...going, ...slow]), "all readers have what was there before");
    const peakBefore = await peakWhile(server, () => traffic.pass((amount / 4) * MIB));
    await waitUntil(() => haveAll([...going, ...slow]), "all readers have what was there before");
    const before = await memoryAtRest(server);

    for (const reader of slow) reader.stopReading();
    const dropsBefore = slow.map(({ drops }) => drops);
    const late = extendedReader("newcomer", proxy.url, key);
    newcomer = late;
    const peak = await peakWhile(server, async () => {
      await traffic.pass(amount * MIB);
      await waitUntil(() => haveAll(going), "the others have all");
    });
    const after = await memoryAtRest(server);
    if (isSame(late.doc, traffic.outline.doc)) failures.push("the newcomer had not much to read");
    const behind = await metricOf(server, "outline_sync_behind_total");
    const grewMiB = after.heldMiB - before.heldMiB;
    const peakGrewMiB = peak.heldMiB - peakBefore.heldMiB;
    const capMiB = ((slow.length + 1) * DEFAULT_SYNC_LIMITS.queuedBytes) / MIB;
    if (grewMiB > capMiB + NOISE_AT_REST_MIB || peakGrewMiB > capMiB + NOISE_AT_WORK_MIB) {
      const grew = `${grewMiB.toFixed(1)} MiB, at most ${peakGrewMiB.toFixed(1)} MiB`;
      failures.push(`memory grew by ${grew}; the caps are ${capMiB} MiB`);
    }
    // On a busy machine one may have stopped for so long that it is dropped before that.
    const closed = (): Promise<number> => metricOf(server, "outline_sync_closed_total");
    if (behind + (await closed()) < slow.length)
      failures.push(`only ${behind} readers fell behind`);
    const grown = { grewMiB: rounded(grewMiB), peakGrewMiB: rounded(peakGrewMiB) };
    // How all come back says no more of what is found already.
    if (failures.length > 0) return { done: amount, failures, figures: grown };
    if (untilDropped) {
      await waitUntil(async () => (await closed()) >= slow.length, "the slow ones are dropped");
    }
    for (const reader of slow) reader.readOn();
    const readOnAt = performance.now();
    await waitUntil(() => haveAll(slow), "the slow ones have all").catch((error: unknown) =>
      failures.push(String(error)),
    );
    const recoveredMs = performance.now() - readOnAt;
    await proxy.pass();
    await waitUntil(() => haveAll([late]), "the newcomer has all").catch((error: unknown) =>
      failures.push(String(error)),
    );
    return {
      done: amount,
      failures,
      figures: {
        ...grown,
        residentGrewMiB: rounded(after.residentMiB - before.residentMiB),
        residentMiB: rounded(after.residentMiB),
        fellBehind: behind,
        dropped: slow.reduce((sum, { drops }, at) => sum + drops - (dropsBefore[at] ?? 0), 0),
        recoveredMs: Math.round(recoveredMs),
      },
    };
  } finally {
    traffic.close();
    for (const reader of [...going, ...slow]) reader.close();
    newcomer?.close();
    await proxy.stop();
  }
}

function isSame(one: Y.Doc, other: Y.Doc): boolean {
  const vectorOf = (doc: Y.Doc): Map<number, number> =>
    Y.decodeStateVector(Y.encodeStateVector(doc));
  return isDeepStrictEqual(vectorOf(one), vectorOf(other));
}

function rounded(figure: number): number {
  return Math.round(figure * 10) / 10;
}
