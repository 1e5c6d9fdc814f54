import * as Y from "yjs";
import { applyStoredUpdate, leaveUntidied } from "../core/yjs/apply-stored-update.ts";
import { cutAhead } from "../core/yjs/cut-ahead.ts";
import type { OutlineId, Random } from "../core/node-key.ts";
import { mergeDeletedInOnePass } from "../core/yjs/merge-deleted.ts";
import { Outline } from "../core/outline.ts";
import { type OutlineLimits, OutlineRoom } from "../core/outline-room.ts";
import { bytesOf, OutlineSize } from "../core/outline-size.ts";
import { Repair } from "../core/repair.ts";
import type { TreeIndex } from "../core/tree-index.ts";
import {
  entryOf,
  marksOf,
  metaOf,
  nodesOf,
  SCHEMA_VERSION,
  shortcutsOf,
  VERSION,
} from "../core/schema.ts";
import { firstIdOf } from "./client-ids.ts";
import { StoreError, type LoadedOutline } from "./outline-log.ts";
import { runInSlices } from "./slices.ts";
import { StateDiff } from "./state-diff.ts";
import type { Turn } from "./turns.ts";
import { NewerOutlineError } from "./unavailable-error.ts";

/** Updates of the tail share transactions of this length: each transaction has a price of its own. */
const BATCH_MS = 4;

/** An outline in memory, as the log has it. */
export interface Replica {
  readonly doc: Y.Doc;
  readonly outline: Outline;
  readonly repair: Repair;
  readonly diff: StateDiff;
  /** Of the snapshot that it was made from. */
  readonly snapshotBytes: number;
}

export interface ReplicaPorts {
  readonly id: OutlineId;
  readonly now: () => number;
  readonly random: Random;
  readonly turn: Turn;
  /**
   * Called between two steps, with the memory that it takes so far, and the stored bytes that are still
   * to be applied. What it throws ends the loading.
   */
  readonly onStep: (bytes: number, storedBytes: number) => void;
  readonly limits: OutlineLimits;
  /** As in `OutlineSizing`. */
  readonly mayTake: (bytes: number) => boolean;
}

/**
 * Builds an outline from what the log holds, in slices of some milliseconds, and takes the chunks out of
 * the snapshot as it goes: they would be in memory twice. Nobody may have it before it is done.
 * @throws StoreError `outline_corrupt` when the stored bytes are not what they should be,
 *   NewerOutlineError, and what `onStep` throws
 */
export async function loadReplica(stored: LoadedOutline, ports: ReplicaPorts): Promise<Replica> {
  const doc = new Y.Doc();
  mergeDeletedInOnePass(doc);
  // From its first update on: what is tidied up before anybody follows it is an edit of nobody's.
  doc.on("afterTransaction", leaveUntidied);
  // Defined before anything is applied: a root that gets its kind later is converted, in one go.
  nodesOf(doc);
  shortcutsOf(doc);
  marksOf(doc);
  metaOf(doc);
  const { turn, onStep, limits, mayTake } = ports;
  const size = new OutlineSize(doc);
  const snapshotBytes = sum(stored.snapshot?.chunks ?? []);
  const tailBytes = sum(stored.updates.map(({ update }) => update));
  let end: unknown;
  const step = (): void => {
    try {
      // Each text may be a node's, which has a row.
      onStep(bytesOf(size, size.types), sum(stored.snapshot?.chunks ?? []) + tailBytes);
    } catch (error) {
      end = error;
      throw error;
    }
  };
  try {
    await runInSlices(apply(doc, size, stored), turn, { take: step });
  } catch (cause) {
    size.detach();
    doc.destroy();
    throw end ?? corrupt(ports.id, cause);
  }
  const newer = schemaOfServer(doc, stored);
  if (newer > SCHEMA_VERSION) {
    size.detach();
    doc.destroy();
    throw new NewerOutlineError(ports.id, newer);
  }
  const makeRoom = (of: Y.Doc, tree: TreeIndex): OutlineRoom =>
    new OutlineRoom(of, tree, { size, limits, mayTake });
  const outline = await runInSlices(Outline.attachInSlices(doc, { ...ports, makeRoom }), turn);
  const repair = await repairOf(outline, stored, turn);
  const { updates, bindings, epochOrdinal } = stored;
  // What it wrote in an earlier history may have been brought back, with what others wrote.
  const isOwn = (client: number): boolean =>
    client >= firstIdOf(epochOrdinal) && bindings.get(client)?.kind === "server";
  await runInSlices(repair.replay(updates.map((each) => ({ ...each, isOwn }))), turn);
  const diff = new StateDiff(doc);
  await runInSlices(diff.prepare(), turn);
  return { doc, outline, repair, diff, snapshotBytes };
}

/** The schema that a server wrote down; 0 when it was somebody else who wrote what is there. */
function schemaOfServer(doc: Y.Doc, { bindings }: LoadedOutline): number {
  const entry = entryOf(metaOf(doc), VERSION);
  const isOfServer = entry !== undefined && bindings.get(entry.id.client)?.kind === "server";
  const version: unknown = isOfServer ? metaOf(doc).get(VERSION) : 0;
  return typeof version === "number" ? version : 0;
}

async function repairOf(
  outline: Outline,
  { snapshot }: LoadedOutline,
  turn: Turn,
): Promise<Repair> {
  let repair: Repair;
  try {
    repair = await runInSlices(Repair.attachInSlices(outline, snapshot?.annex), turn);
  } catch (cause) {
    throw corrupt(outline.id, cause);
  }
  const { annexSeq = snapshot?.seq } = repair;
  if (annexSeq === snapshot?.seq) return repair;
  // Of another moment it would have repair bring back what was deleted long ago.
  repair.detach();
  throw corrupt(
    outline.id,
    new Error(`its annex is of ${annexSeq}, its snapshot of ${snapshot?.seq}`),
  );
}

function* apply(
  doc: Y.Doc,
  size: OutlineSize,
  { snapshot, updates }: LoadedOutline,
): Generator<void> {
  const chunks = snapshot?.chunks ?? [];
  for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
    applyStoredUpdate(doc, chunk);
    yield;
  }
  yield* cutAhead(
    doc,
    updates.map(({ update }) => update),
  );
  size.noteCuts();
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

function corrupt(outline: OutlineId, cause: unknown): StoreError {
  return new StoreError(
    "outline_corrupt",
    `what is stored of outline ${outline} does not make a document; restore it from a backup`,
    { cause, outline },
  );
}

function sum(parts: readonly Uint8Array[]): number {
  return parts.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
}
