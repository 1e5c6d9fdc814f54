import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Y from "yjs";
import { StoredClocks } from "../../src/core/yjs/stored-clocks.ts";
import { nodesOf } from "../../src/core/schema.ts";
import { call } from "../e2e/program-folder.ts";
import { startServerProcess } from "../e2e/server-process.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/socket-until.ts";
import { stockProvider } from "../support/stock-provider.ts";
import { cpuUsOf } from "./process-time.ts";
import { outlineOf, plant, type StoredOutline } from "../support/stored-outline.ts";

/** What the built program does for a client of y-websocket. */
export interface ServedFigures {
  /** CPU milliseconds, until a client that had nothing has all. */
  readonly cpuMs: number;
  /** The same by the clock. */
  readonly waitMs: number;
  /** CPU milliseconds, until the API has the client's first edit. */
  readonly editCpuMs: number;
  /** How often a connection of the client was closed. */
  readonly closed: number;
}

const PATIENCE_MS = 20 * 60_000;
const EDIT = "edited by a stock client: ";

/** A client comes to an outline that nobody has opened, and edits it. */
export async function measureServed(
  stored: StoredOutline,
  tail: readonly Uint8Array[],
): Promise<ServedFigures> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  try {
    const data = join(folder, "data");
    const service = await startService({ store: "level", folder: join(data, "store") });
    await plant(service.store.log, await outlineOf(service), stored, tail);
    const { key } = service;
    await service.close();
    return await serve(data, key, clocksOf(stored, tail));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function clocksOf({ snapshot }: StoredOutline, tail: readonly Uint8Array[]): StoredClocks {
  const clocks = new StoredClocks();
  clocks.addStateVector(snapshot.stateVector);
  for (const update of tail) clocks.addUpdate(update);
  return clocks;
}

async function serve(data: string, key: string, all: StoredClocks): Promise<ServedFigures> {
  const server = await startServerProcess({ data, environment: { OUTLINE_LOG_LEVEL: "error" } });
  const cpuMs = async (): Promise<number> => (await cpuUsOf(server.pid)) / 1_000;
  const doc = new Y.Doc();
  const nodes = nodesOf(doc);
  const start = { cpuMs: await cpuMs(), at: performance.now() };
  const provider = stockProvider(server.url, key, doc);
  let closed = 0;
  provider.on("connection-close", () => closed++);
  try {
    await until(() => hasAll(doc, all), "the whole outline", PATIENCE_MS);
    const served = { cpuMs: (await cpuMs()) - start.cpuMs, waitMs: performance.now() - start.at };
    const [id] = nodes.keys();
    if (id === undefined) throw new Error("there are no nodes");
    const editedFrom = await cpuMs();
    nodes.get(id)?.insert(0, EDIT);
    const isStored = async (): Promise<boolean> => {
      const { body } = await call(server, key, "GET", `nodes/${id}`);
      return JSON.stringify(body).includes(EDIT);
    };
    await until(isStored, "the edit", PATIENCE_MS);
    return { ...served, editCpuMs: (await cpuMs()) - editedFrom, closed };
  } finally {
    provider.destroy();
    provider.awareness.destroy();
    await server.stop("SIGKILL");
  }
}

function hasAll(doc: Y.Doc, { ends }: StoredClocks): boolean {
  return [...ends].every(([client, end]) => Y.getState(doc.store, client) >= end);
}
