import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Y from "yjs";
import type { OutlineId } from "../../src/core/node-key.ts";
import { stateChunks } from "../../src/core/yjs/state-chunks.ts";
import type { Documents } from "../../src/documents/documents.ts";
import { LevelStore } from "../../src/store/level/level-store.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { startService } from "../support/service.ts";
import { cpuMs } from "./cpu-time.ts";
import { grownDocument } from "./grown-document.ts";
import { longestTurn, type LongestTurn } from "./turn-watch.ts";

/** What it takes to open an outline of some size from LevelDB, and to work on all of it at once. */
export interface OpenFigures {
  readonly nodes: number;
  /** CPU milliseconds until it can be read and written; one value a round. */
  readonly openCpuMs: readonly number[];
  /** Yjs alone, applying the same state in one go: no store, no index, and one long stall. */
  readonly bareCpuMs: readonly number[];
  /** The longest turns of the event loop meanwhile, one a round. */
  readonly opening: readonly LongestTurn[];
  /** While a snapshot of all of it is made and stored. */
  readonly compacting: LongestTurn;
  /** While all nodes are sent as JSON over HTTP, to a client in the same process. */
  readonly exporting: readonly LongestTurn[];
  /** While nothing happens: what the machine itself does to a turn. */
  readonly idle: LongestTurn;
}

const ROUNDS = 5;
const ROUNDS_OF_LARGE = 2;
const LARGE = 500_000;

/** Opens, compacts and exports an outline through the service. Takes 30 s at 100,000 nodes. */
export async function measureOpen(nodes: number, seed = 1): Promise<OpenFigures> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  try {
    return await measureIn(folder, nodes, grownDocument(nodes, seededRandom(seed)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measureIn(folder: string, nodes: number, state: Uint8Array): Promise<OpenFigures> {
  const outline = await storeAsLog(folder, state);
  // Opened from the log alone, it makes a snapshot.
  const compacting = await withService(folder, async ({ documents, compacted }) => {
    const { release } = await documents.open(outline);
    const longest = await longestTurn(() => compacted);
    release();
    return longest;
  });

  const openCpuMs: number[] = [];
  const bareCpuMs: number[] = [];
  const opening: LongestTurn[] = [];
  const exporting: LongestTurn[] = [];
  const rounds = nodes < LARGE ? ROUNDS : ROUNDS_OF_LARGE;
  for (let round = 0; round < rounds; round++) {
    globalThis.gc?.();
    const start = cpuMs();
    const bare = new Y.Doc();
    Y.applyUpdate(bare, state);
    bareCpuMs.push(cpuMs() - start);
    bare.destroy();
    openCpuMs.push(
      await withService(folder, async ({ documents }) => {
        globalThis.gc?.();
        const startOfOpen = cpuMs();
        const { release } = await documents.open(outline);
        const cpu = cpuMs() - startOfOpen;
        release();
        return cpu;
      }),
    );
    await withService(folder, async ({ documents, url, key }) => {
      globalThis.gc?.();
      let close: (() => void) | undefined;
      opening.push(
        await longestTurn(async () => (close = (await documents.open(outline)).release)),
      );
      exporting.push(await longestTurn(() => readAll(`${url}/api/v1/nodes-export`, key)));
      close?.();
    });
  }
  const idle = await longestTurn(() => new Promise((resolve) => setTimeout(resolve, 1000)));
  return { nodes, openCpuMs, bareCpuMs, opening, compacting, exporting, idle };
}

interface Service {
  readonly documents: Documents;
  readonly url: string;
  readonly key: string;
  /** Resolves when a snapshot has been made. */
  readonly compacted: Promise<void>;
}

async function openStore(folder: string): Promise<LevelStore> {
  return LevelStore.open(join(folder, "store"), { now: Date.now, randomBytes });
}

/** Stores a state as the updates of a log, in the outline of a new user. */
async function storeAsLog(folder: string, state: Uint8Array): Promise<OutlineId> {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, state);
  const store = await openStore(folder);
  const service = await startService({ store });
  const principal = await service.accounts.authenticate(service.key);
  if (principal === undefined) throw new Error("the key is not valid");
  for (const update of stateChunks(doc)) {
    await store.log.append(principal.outline, { updates: [update] });
  }
  await service.close();
  return principal.outline;
}

async function withService<T>(folder: string, work: (service: Service) => Promise<T>): Promise<T> {
  let onCompaction: () => void = () => undefined;
  const compacted = new Promise<void>((resolve) => (onCompaction = resolve));
  const service = await startService({
    store: await openStore(folder),
    exportLimitMs: 0,
    documentEvents: { onCompaction },
  });
  try {
    const { documents, url, key } = service;
    return await work({ documents, url, key, compacted });
  } finally {
    await service.close();
  }
}

/** Reads an answer to its end and drops it. */
async function readAll(url: string, key: string): Promise<void> {
  const asked = request(url, { headers: { authorization: `Bearer ${key}` } });
  asked.end();
  const [answer] = await once(asked, "response");
  answer.resume();
  await once(answer, "end");
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`);
}
