import { memoryUsage } from "node:process";
import * as Y from "yjs";
import { stateChunks } from "../../src/core/yjs/state-chunks.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { startService } from "../support/service.ts";
import { cpuMs } from "./cpu-time.ts";
import { type Life, livedOutline, YEARS } from "./lived-outline.ts";
import { measureServed, type ServedFigures } from "./served-stock.ts";
import {
  compacted,
  outlineOf,
  plant,
  type StoredOutline,
  WITHOUT_SNAPSHOTS,
} from "../support/stored-outline.ts";

/** What opening an outline costs, by what has happened to it. */
export interface LivedFigures {
  readonly fresh: OpenedFigures;
  readonly history: OpenedFigures;
  readonly tail: OpenedFigures;
  /** A stock client, which comes to the last of them. */
  readonly served: ServedFigures;
}

export interface OpenedFigures {
  /** CPU milliseconds until it can be read and written, one value a round. */
  readonly cpuMs: readonly number[];
  /** For each node, when it is open. */
  readonly heapBytes: number;
  /** CPU milliseconds that Yjs alone takes to apply the same, in one transaction, one value a round. */
  readonly bareCpuMs: readonly number[];
}

const TAIL = 10_000;
const ROUNDS = 3;

/** Makes outlines as they were imported, with years of edits, and with edits behind the snapshot. */
export async function measureLived(nodes: number, seed = 1): Promise<LivedFigures> {
  const edits = Math.round(nodes * YEARS.edits);
  const moves = Math.round(nodes * YEARS.moves);
  const fresh = await measureLife({ nodes, edits: 0, moves: 0, tail: 0 }, seed);
  const history = await measureLife({ nodes, edits, moves, tail: 0 }, seed);
  const { stored, tail } = await lived({ nodes, edits, moves, tail: TAIL }, seed);
  return {
    fresh,
    history,
    tail: await measureOpening(nodes, stored, tail),
    served: await measureServed(stored, tail),
  };
}

async function measureLife(life: Life, seed: number): Promise<OpenedFigures> {
  const { stored, tail } = await lived(life, seed);
  return measureOpening(life.nodes, stored, tail);
}

async function lived(
  life: Life,
  seed: number,
): Promise<{ readonly stored: StoredOutline; readonly tail: readonly Uint8Array[] }> {
  const { doc, tail } = livedOutline(life, seededRandom(seed));
  const stored = await compacted([...stateChunks(doc)]);
  doc.destroy();
  return { stored, tail };
}

async function measureOpening(
  nodes: number,
  stored: StoredOutline,
  tail: readonly Uint8Array[],
): Promise<OpenedFigures> {
  const rounds: { readonly ms: number; readonly heap: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await open(stored, tail));
  const bareCpuMs = Array.from({ length: ROUNDS }, () => applyBare(stored, tail));
  return {
    bareCpuMs,
    cpuMs: rounds.map(({ ms }) => ms),
    heapBytes: Math.max(...rounds.map(({ heap }) => heap)) / nodes,
  };
}

async function open(
  stored: StoredOutline,
  tail: readonly Uint8Array[],
): Promise<{ readonly ms: number; readonly heap: number }> {
  // What is due for a snapshot would have one: here it is measured as it is.
  const service = await startService({ documentLimits: WITHOUT_SNAPSHOTS });
  const outline = await outlineOf(service);
  await plant(service.store.log, outline, stored, tail);
  const heapBefore = heapBytes();
  const start = cpuMs();
  const { release } = await service.documents.open(outline);
  const ms = cpuMs() - start;
  const heap = heapBytes() - heapBefore;
  release();
  await service.close();
  return { ms, heap };
}

function applyBare(stored: StoredOutline, tail: readonly Uint8Array[]): number {
  globalThis.gc?.();
  const doc = new Y.Doc();
  const start = cpuMs();
  doc.transact(() => {
    for (const update of [...stored.snapshot.chunks, ...tail]) Y.applyUpdate(doc, update);
  });
  return cpuMs() - start;
}

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return memoryUsage().heapUsed;
}
