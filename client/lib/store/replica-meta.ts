import type { OutlineId } from "../../../src/core/node-key.ts";
import { changedClients } from "./client-changes.ts";
import type {
  OwnUpdate,
  ReplicaBatch,
  ReplicaPosition,
  ReplicaReplacement,
  StoredReplica,
} from "./replica-store.ts";

/**
 * What all drivers keep beside the updates. These are numbered from 1 by all handles together, and
 * lie in two parts: the *state*, chunks that a compaction has left, and the *tail*, written since.
 */
export interface ReplicaMeta {
  readonly position: ReplicaPosition;
  readonly outline: OutlineId | undefined;
  /** Absent in stores of earlier versions: theirs are in `leases`. */
  readonly clients?: readonly number[];
  /** Earlier versions look for it, when they open the store once more. */
  readonly leases: readonly { readonly client: number }[];
  /** Grows with each replica that takes the place of another. */
  readonly generation: number;
  /** Of the last update that was ever written. */
  readonly lastNumber: number;
  /**
   * Own updates up to here may have been sent to the server. Absent in stores that were made before it
   * was kept: there all may have been.
   */
  readonly sentUpTo?: number;
  /** Up to here the updates are in the state; greater ones are in the tail. */
  readonly stateUpTo: number;
  readonly stateBytes: number;
  readonly tailBytes: number;
  readonly tailUpdates: number;
}

/** What a write does to a store. */
export interface PlannedWrite {
  readonly meta: ReplicaMeta;
  /** New in the tail, those of `own` among them. */
  readonly added: readonly OwnUpdate[];
  /** New in the outbox. */
  readonly own: readonly OwnUpdate[];
}

/** What a compaction has read and what it puts in the place of that. */
export interface Compaction {
  /** As it was when it was read. */
  readonly meta: ReplicaMeta;
  readonly chunks: readonly Uint8Array[];
}

/** What all drivers answer of it when they are read. */
export function headOf(meta: ReplicaMeta): Omit<StoredReplica, "outbox" | "updates"> {
  const { generation, position, outline } = meta;
  return { generation, position, outline, clients: clientsOf(meta), sentUpTo: sentUpToOf(meta) };
}

/** Own updates up to here may have been sent to the server. */
function sentUpToOf({ sentUpTo, lastNumber }: ReplicaMeta): number {
  return sentUpTo ?? lastNumber;
}

function clientsOf({ clients, leases }: ReplicaMeta): readonly number[] {
  return clients ?? leases.map(({ client }) => client);
}

export function emptyMeta(): ReplicaMeta {
  return {
    position: { epoch: "", seq: 0 },
    outline: undefined,
    clients: [],
    leases: [],
    generation: 1,
    lastNumber: 0,
    sentUpTo: 0,
    stateUpTo: 0,
    stateBytes: 0,
    tailBytes: 0,
    tailUpdates: 0,
  };
}

export function planWrite(meta: ReplicaMeta, batch: ReplicaBatch): PlannedWrite {
  const { received = [], own = [] } = batch;
  const planned = append(meta, received, own);
  const { position, outline } = { ...meta, ...batch };
  const clients = changedClients(clientsOf(meta), batch.clients ?? []);
  const sentUpTo = batch.isSent === true ? planned.meta.lastNumber : sentUpToOf(meta);
  return { ...planned, meta: { ...planned.meta, position, outline, clients, sentUpTo } };
}

/** The new updates are the whole tail, and there is no state. */
export function planReplacement(meta: ReplicaMeta, replacement: ReplicaReplacement): PlannedWrite {
  const { updates, own, position, clients } = replacement;
  const { outline, lastNumber } = meta;
  const generation = meta.generation + 1;
  const emptied = { ...emptyMeta(), outline, lastNumber, stateUpTo: lastNumber };
  const sentUpTo = lastNumber;
  return append({ ...emptied, generation, position, clients, sentUpTo }, updates, own);
}

/** More than the numbers that another handle can have given without this one's hearing of it. */
const NUMBERS_APART = 2 ** 32;

/**
 * The meta of a store that takes the place of one that was lost.
 *
 * @param found as it was made, or as another handle has written it
 * @param generation of the lost one
 * @param lastNumber the greatest that is known of it
 */
export function planBeginning(
  found: ReplicaMeta,
  { generation, lastNumber }: Pick<ReplicaMeta, "generation" | "lastNumber">,
): ReplicaMeta {
  return {
    ...found,
    generation: Math.max(found.generation, generation) + 1,
    lastNumber: Math.max(found.lastNumber, lastNumber + NUMBERS_APART),
  };
}

/** How the store is after a compaction; undefined when what it has read is not there any more. */
export function planCompaction(now: ReplicaMeta, compaction: Compaction): ReplicaMeta | undefined {
  const { meta: read, chunks } = compaction;
  if (now.generation !== read.generation || now.stateUpTo !== read.stateUpTo) return undefined;
  return {
    ...now,
    stateUpTo: read.lastNumber,
    stateBytes: byteLength(chunks),
    tailBytes: now.tailBytes - read.tailBytes,
    tailUpdates: now.tailUpdates - read.tailUpdates,
  };
}

function append(
  meta: ReplicaMeta,
  received: readonly Uint8Array[],
  own: readonly Uint8Array[],
): PlannedWrite {
  const added = [...received, ...own].map((update, index) => ({
    number: meta.lastNumber + 1 + index,
    update,
  }));
  const appended = {
    ...meta,
    lastNumber: meta.lastNumber + added.length,
    tailBytes: meta.tailBytes + byteLength(received) + byteLength(own),
    tailUpdates: meta.tailUpdates + added.length,
  };
  return { meta: appended, added, own: added.slice(received.length) };
}

function byteLength(updates: readonly Uint8Array[]): number {
  return updates.reduce((sum, update) => sum + update.byteLength, 0);
}
