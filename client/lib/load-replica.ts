import * as Y from "yjs";
import type { OutlineId } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import type { Platform } from "./platform.ts";
import type { ServerClock } from "./server-clock.ts";
import { applyFromStore } from "./store/compaction.ts";
import { type ReplicaStore, StoreError, type StoredReplica } from "./store/replica-store.ts";

/** Marks what this replica did not write itself. */
export const FROM_ELSEWHERE = Symbol("from the store, the server or another tab");

/** Time that is spent at a stretch while nobody waits for it. */
const SLICE_MS = 12;

type Pace = Pick<Platform, "elapsed" | "yieldNow">;

/** What a store holds, with a document that has it and that nobody follows yet. */
export interface LoadedReplica {
  readonly stored: StoredReplica;
  readonly doc: Y.Doc;
}

/** Reads a store, in slices. @throws StoreError, but not `replaced`: what has taken its place is read */
export async function loadStored(store: ReplicaStore, pace: Pace): Promise<LoadedReplica> {
  for (;;) {
    try {
      return await loadOnce(store, pace);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "replaced") throw error;
    }
  }
}

async function loadOnce(store: ReplicaStore, { elapsed, yieldNow }: Pace): Promise<LoadedReplica> {
  const stored = await store.read();
  const doc = new Y.Doc();
  let began = elapsed();
  for await (const update of stored.updates) {
    applyFromStore(doc, update, FROM_ELSEWHERE);
    if (elapsed() - began < SLICE_MS) continue;
    await yieldNow();
    began = elapsed();
  }
  return { stored, doc };
}

/** Reads a document's tree in slices. The document must not change meanwhile. */
export async function outlineInSlices(
  doc: Y.Doc,
  id: OutlineId,
  { random, yieldNow }: Pick<Platform, "random" | "yieldNow">,
  { now }: Pick<ServerClock, "now">,
): Promise<Outline> {
  const work = Outline.attachInSlices(doc, { id, now, random, isDevice: true });
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await yieldNow();
  }
}
