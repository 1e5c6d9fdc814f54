import type * as Y from "yjs";
import type { OutlineId, Random } from "../../core/node-key.ts";
import { Outline } from "../../core/outline.ts";
import { type OutlineLimits, OutlineRoom } from "../../core/room/outline-room.ts";
import { bytesOf } from "../../core/room/outline-size.ts";
import { Repair } from "../../core/merge/repair.ts";
import type { TreeIndex } from "../../core/tree/tree-index.ts";
import { entryOf, metaOf, SCHEMA_VERSION, VERSION } from "../../core/schema.ts";
import { byteLengthOf } from "../log/byte-length.ts";
import { firstIdOf } from "./client-ids.ts";
import { StoreError, type LoadedOutline } from "../log/outline-log.ts";
import { OutlineState } from "./outline-state.ts";
import { runInSlices } from "../turns/slices.ts";
import type { Turn } from "../turns/turns.ts";
import { NewerOutlineError } from "../log/unavailable-error.ts";

/** An outline in memory, as the log has it. */
export interface Replica {
  readonly state: OutlineState;
  readonly outline: Outline;
  readonly repair: Repair;
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
  const state = new OutlineState();
  const { doc, size } = state;
  const { turn, onStep, limits, mayTake } = ports;
  const snapshotBytes = byteLengthOf(stored.snapshot?.chunks ?? []);
  const tailBytes = byteLengthOf(stored.updates.map(({ update }) => update));
  let end: unknown;
  const step = (): void => {
    try {
      // Each text may be a node's, which has a row.
      onStep(bytesOf(size, size.types), byteLengthOf(stored.snapshot?.chunks ?? []) + tailBytes);
    } catch (error) {
      end = error;
      throw error;
    }
  };
  try {
    await runInSlices(state.load(stored), turn, { take: step });
  } catch (cause) {
    state.destroy();
    throw end ?? corrupt(ports.id, cause);
  }
  const newer = schemaOfServer(doc, stored);
  if (newer > SCHEMA_VERSION) {
    state.destroy();
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
  return { state, outline, repair, snapshotBytes };
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

function corrupt(outline: OutlineId, cause: unknown): StoreError {
  return new StoreError(
    "outline_corrupt",
    `what is stored of outline ${outline} does not make a document; restore it from a backup`,
    { cause, outline },
  );
}
