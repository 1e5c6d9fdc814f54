import { memoryUsage } from "node:process";
import type { OutlineId } from "../../src/core/node-key.ts";
import { stateChunks } from "../../src/core/yjs/state-chunks.ts";
import type { LoadedOutline, Snapshot } from "../../src/documents/outline-log.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { startService, type TestService } from "../support/service.ts";
import { cpuMs } from "./cpu-time.ts";
import { livedOutline, YEARS } from "./lived-outline.ts";

/** What opening an outline costs, by what has happened to it. */
export interface LivedFigures {
  readonly fresh: OpenedFigures;
  readonly history: OpenedFigures;
  readonly tail: OpenedFigures;
}

export interface OpenedFigures {
  /** CPU milliseconds until it can be read and written, one value a round. */
  readonly cpuMs: readonly number[];
  /** For each node, when it is open. */
  readonly heapBytes: number;
}

const TAIL = 10_000;
const ROUNDS = 3;

/** Makes outlines as they were imported, with years of edits, and with edits behind the snapshot. */
export async function measureLived(nodes: number, seed = 1): Promise<LivedFigures> {
  const fresh = await measureLife(nodes, { edits: 0, moves: 0, tail: 0 }, seed);
  const edits = Math.round(nodes * YEARS.edits);
  const moves = Math.round(nodes * YEARS.moves);
  const history = await measureLife(nodes, { edits, moves, tail: 0 }, seed);
  const tail = await measureLife(nodes, { edits, moves, tail: TAIL }, seed);
  return { fresh, history, tail };
}

async function measureLife(
  nodes: number,
  life: { readonly edits: number; readonly moves: number; readonly tail: number },
  seed: number,
): Promise<OpenedFigures> {
  const { doc, tail } = livedOutline({ nodes, ...life }, seededRandom(seed));
  const stored = await compacted([...stateChunks(doc)]);
  doc.destroy();
  const rounds: { readonly ms: number; readonly heap: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await open(stored, tail));
  return {
    cpuMs: rounds.map(({ ms }) => ms),
    heapBytes: Math.max(...rounds.map(({ heap }) => heap)) / nodes,
  };
}

interface Stored {
  readonly snapshot: Snapshot;
  readonly bindings: LoadedOutline["bindings"];
}

/** As the service itself writes it down. */
async function compacted(updates: readonly Uint8Array[]): Promise<Stored> {
  let onCompaction: () => void = () => undefined;
  const written = new Promise<void>((resolve) => (onCompaction = resolve));
  const service = await startService({
    documentLimits: { minCompactionBytes: 1 },
    documentEvents: { onCompaction },
  });
  const outline = await outlineOf(service);
  await service.store.log.append(outline, { updates });
  const { release } = await service.documents.open(outline);
  await written;
  release();
  const { snapshot, bindings } = await service.store.log.load(outline);
  await service.close();
  if (snapshot === undefined) throw new Error("there is no snapshot");
  return { snapshot, bindings };
}

async function open(
  { snapshot, bindings }: Stored,
  tail: readonly Uint8Array[],
): Promise<{ readonly ms: number; readonly heap: number }> {
  // What is due for a snapshot would have one: here it is measured as it is.
  const documentLimits = { minCompactionBytes: Infinity, longTailMs: Infinity };
  const service = await startService({ documentLimits });
  const { log } = service.store;
  const outline = await outlineOf(service);
  await log.append(outline, {
    updates: Array.from({ length: snapshot.seq }, () => new Uint8Array([0, 0])),
    bindings: [...bindings].map(([client, holder]) => ({ client, holder })),
  });
  await log.saveSnapshot(outline, { ...snapshot, chunks: [...snapshot.chunks] });
  if (tail.length > 0) await log.append(outline, { updates: tail });
  const heapBefore = heapBytes();
  const start = cpuMs();
  const { release } = await service.documents.open(outline);
  const ms = cpuMs() - start;
  const heap = heapBytes() - heapBefore;
  release();
  await service.close();
  return { ms, heap };
}

async function outlineOf({ accounts, key }: TestService): Promise<OutlineId> {
  const principal = await accounts.authenticate(key);
  if (principal === undefined) throw new Error("the key is not valid");
  return principal.outline;
}

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return memoryUsage().heapUsed;
}
