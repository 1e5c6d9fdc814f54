import * as Y from "yjs";
import { applyStoredUpdate } from "../core/apply-stored-update.ts";
import type { OutlineId, Random } from "../core/node-key.ts";
import { Outline } from "../core/outline.ts";
import { Repair } from "../core/repair.ts";
import { marksOf, metaOf, nodesOf, shortcutsOf } from "../core/schema.ts";
import { StoreError, type LoadedOutline } from "./outline-log.ts";
import { runInSlices } from "./slices.ts";
import { StateDiff } from "./state-diff.ts";
import type { Turn } from "./turns.ts";

/** Updates of the tail share transactions of this length: each transaction has a price of its own. */
const BATCH_MS = 4;

/** An outline in memory, as the log has it. */
export interface Replica {
  readonly doc: Y.Doc;
  readonly outline: Outline;
  readonly repair: Repair;
  readonly diff: StateDiff;
}

export interface ReplicaPorts {
  readonly id: OutlineId;
  readonly now: () => number;
  readonly random: Random;
  readonly turn: Turn;
}

/**
 * Builds an outline from what the log holds, in slices of some milliseconds. Nobody may have it
 * before it is done.
 * @throws StoreError `outline_corrupt` when the stored bytes are not what they should be
 */
export async function loadReplica(stored: LoadedOutline, ports: ReplicaPorts): Promise<Replica> {
  const doc = new Y.Doc();
  // Defined before anything is applied: a root that gets its kind later is converted, in one go.
  nodesOf(doc);
  shortcutsOf(doc);
  marksOf(doc);
  metaOf(doc);
  const { turn } = ports;
  try {
    await runInSlices(apply(doc, stored), turn);
  } catch (cause) {
    doc.destroy();
    throw corrupt(ports.id, cause);
  }
  const outline = await runInSlices(Outline.attachInSlices(doc, ports), turn);
  const repair = repairOf(outline, stored);
  await runInSlices(record(repair, stored), turn);
  const diff = new StateDiff(doc);
  await runInSlices(diff.prepare(), turn);
  return { doc, outline, repair, diff };
}

function repairOf(outline: Outline, { snapshot }: LoadedOutline): Repair {
  try {
    return new Repair(outline, snapshot?.annex);
  } catch (cause) {
    throw corrupt(outline.id, cause);
  }
}

function* apply(doc: Y.Doc, { snapshot, updates }: LoadedOutline): Generator<void> {
  for (const chunk of snapshot?.chunks ?? []) {
    applyStoredUpdate(doc, chunk);
    yield;
  }
  let index = 0;
  while (index < updates.length) {
    const end = performance.now() + BATCH_MS;
    doc.transact(() => {
      for (; index < updates.length && performance.now() < end; index++) {
        Y.applyUpdate(doc, updates[index]?.update ?? new Uint8Array());
      }
    });
    yield;
  }
  const { pendingStructs, pendingDs } = doc.store;
  if (pendingStructs !== null || pendingDs !== null) throw new Error("parts are missing");
}

function* record(repair: Repair, { updates }: LoadedOutline): Generator<void> {
  for (const { seq, update } of updates) {
    repair.record(Y.parseUpdateMeta(update).to, seq);
    yield;
  }
}

function corrupt(outline: OutlineId, cause: unknown): StoreError {
  return new StoreError(
    "outline_corrupt",
    `what is stored of outline ${outline} does not make a document; restore it from a backup`,
    { cause, outline },
  );
}
