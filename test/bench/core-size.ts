import { memoryUsage } from "node:process";
import * as Y from "yjs";
import { newOutlineId } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
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
  /** Of that, Yjs' own. */
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
  const before = heapBytes();
  const doc = new Y.Doc();
  Y.applyUpdate(doc, state);
  const bare = heapBytes() - before;
  const start = cpuMs();
  const outline = Outline.attach(doc, { id: newOutlineId(random), now: () => 0, random });
  const indexMs = cpuMs() - start;
  const whole = heapBytes() - before;
  if (outline.size !== nodes) throw new Error("the outline is not whole");
  let structs = 0;
  for (const { length } of doc.store.clients.values()) structs += length;
  return {
    nodes,
    bytesPerNode: Math.round((state.length / nodes) * 10) / 10,
    heapPerNode: Math.round(whole / nodes),
    bareHeapPerNode: Math.round(bare / nodes),
    structsPerNode: Math.round((structs / nodes) * 10) / 10,
    indexMs: Math.round(indexMs),
  };
}

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return memoryUsage().heapUsed;
}
