import { memoryUsage } from "node:process";
import * as Y from "yjs";
import { newOutlineId } from "../../src/core/node-key.ts";
import { applyStoredUpdate } from "../../src/core/yjs/apply-stored-update.ts";
import { Outline } from "../../src/core/outline.ts";
import { nodesOf } from "../../src/core/schema.ts";
import { stateChunks } from "../../src/core/yjs/state-chunks.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { cpuMs } from "./cpu-time.ts";
import { agedDocument, grownDocument } from "./grown-document.ts";

/** Bytes for each node of an outline. */
export interface SizeFigures {
  readonly nodes: number;
  /** The encoded state, before compression. */
  readonly bytesPerNode: number;
  /** Of an open outline. */
  readonly heapPerNode: number;
  /** A document of Yjs alone, with the same state applied in one go. */
  readonly bareHeapPerNode: number;
  readonly structsPerNode: number;
  /** CPU milliseconds in which the index is made. */
  readonly indexMs: number;
}

/**
 * Measures stored bytes and heap. `history`: three edits of every name and a move of every third
 * node. Needs `--expose-gc`, and to be the first thing in its process.
 */
export function measureSize(nodes: number, kind: "fresh" | "history", seed = 1): SizeFigures {
  const random = seededRandom(seed);
  const state = kind === "fresh" ? grownDocument(nodes, random) : agedDocument(nodes, random);
  const bare = heapOf(() => {
    const doc = new Y.Doc();
    Y.applyUpdate(doc, state);
    return doc;
  });
  const chunks = [...stateChunks(bare.made)];
  bare.made.destroy();
  let indexMs = 0;
  const whole = heapOf(() => {
    const doc = new Y.Doc();
    // As it is loaded: roots first, then the chunks of the snapshot.
    nodesOf(doc);
    for (const chunk of chunks) applyStoredUpdate(doc, chunk);
    const start = cpuMs();
    const outline = Outline.attach(doc, { id: newOutlineId(random), now: () => 0, random });
    indexMs = cpuMs() - start;
    return outline;
  });
  const { doc, size } = whole.made;
  if (size !== nodes) throw new Error("the outline is not whole");
  let structs = 0;
  for (const { length } of doc.store.clients.values()) structs += length;
  return {
    nodes,
    bytesPerNode: Math.round((state.length / nodes) * 10) / 10,
    heapPerNode: Math.round(whole.bytes / nodes),
    bareHeapPerNode: Math.round(bare.bytes / nodes),
    structsPerNode: Math.round((structs / nodes) * 10) / 10,
    indexMs: Math.round(indexMs),
  };
}

/** Makes something, and what of the heap it takes. */
function heapOf<T>(make: () => T): { readonly made: T; readonly bytes: number } {
  const before = heapBytes();
  const made = make();
  return { made, bytes: heapBytes() - before };
}

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return memoryUsage().heapUsed;
}
