import type { OutlineId } from "../../../src/core/node-key.ts";
import type { ClientChange } from "./client-changes.ts";

/** Where a replica stands; see docs/sync-protocol.md, "What a device keeps". */
export interface ReplicaPosition {
  /** The history that `seq` counts in; empty before the first contact with the server. */
  readonly epoch: string;
  /** The replica holds everything up to here. */
  readonly seq: number;
}

/** An update made on this device that the server has not acknowledged. */
export interface OwnUpdate {
  /** Unique in the store; later updates have greater ones. Given by the store. */
  readonly number: number;
  readonly update: Uint8Array;
}

/** What a store holds. */
export interface StoredReplica {
  /** Grows with each replica that takes the place of another. */
  readonly generation: number;
  readonly position: ReplicaPosition;
  /** Whose outline it is; absent before the first contact with the server. */
  readonly outline: OutlineId | undefined;
  /** Client ids that this device writes under, oldest first. */
  readonly clients: readonly number[];
  /** Nobody can have sent those of the outbox that have greater numbers. */
  readonly sentUpTo: number;
  /** Oldest first. All of them are in `updates` too. */
  readonly outbox: readonly OwnUpdate[];
  /** Updates that make up the replica, each at most about 1 MB, in an order in which they apply. */
  readonly updates: AsyncIterable<Uint8Array>;
}

/** What a store holds at one moment, as a handle has to know it that has read the replica before. */
export interface ReplicaNews {
  readonly position: ReplicaPosition;
  readonly clients: readonly number[];
  /** All of it, oldest first. */
  readonly outbox: readonly OwnUpdate[];
  /** What is new to the handle. */
  readonly updates: readonly Uint8Array[];
}

/** One write: all of it or nothing. What is absent stays. */
export interface ReplicaBatch {
  /** What came from the server. */
  readonly received?: readonly Uint8Array[];
  /** What was made here: enters the replica and the outbox. */
  readonly own?: readonly Uint8Array[];
  /** Numbers of own updates that leave the outbox, because the server has them. */
  readonly settled?: readonly number[];
  readonly position?: ReplicaPosition;
  readonly outline?: OutlineId;
  readonly clients?: readonly ClientChange[];
  /** The outbox, with what this batch adds to it, may be sent from now on, or may have been. */
  readonly isSent?: boolean;
}

/** A replica to put in the place of another. Whose outline it is stays. */
export interface ReplicaReplacement {
  readonly updates: readonly Uint8Array[];
  /** In the replica and not acknowledged; they need not be in `updates` too. */
  readonly own: readonly Uint8Array[];
  readonly position: ReplicaPosition;
  /** All of them from now on. */
  readonly clients: readonly number[];
}

/** Why a store does not work, in words a program can tell apart. */
export type StoreFailure =
  /** No storage is to be had: private windows, storage switched off. */
  | "refused"
  /** The disk or the share of it that this program may use is full. */
  | "full"
  /** What was stored has been deleted from outside while it was open. */
  | "lost"
  /** A newer version of this program uses the store. */
  | "newer"
  /** Another process has it. */
  | "busy"
  /**
   * Another handle has put another replica in the place of the one that this handle has read. What
   * this handle knows of is not in the store any more: read again before writing.
   */
  | "replaced"
  /** Anything else. It may work again when it is tried again. */
  | "failed";

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreFailure;

  constructor(code: StoreFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Where a device keeps its replica. Drivers: IndexedDB (browser), LevelDB (Node), and one in memory for
 * tests; one contract suite shows that they behave alike. Every method rejects with a {@link StoreError}, never otherwise.
 */
export interface ReplicaStore {
  /** What is stored. Of a handle whose store was lost: what another handle has begun anew in its place. */
  read(): Promise<StoredReplica>;
  /**
   * Resolves when the batch is durable, with the numbers of its own updates in their order. Batches
   * take effect in the order of the calls. When one fails, all that were begun behind it before that
   * was known fail as well: nothing is stored without what it may build on.
   */
  write(batch: ReplicaBatch): Promise<readonly number[]>;
  /**
   * How the store stands now, and what other handles of it (tabs) have added to the replica since this
   * one last read: since its `updates` were read to the end, or the last call of this. It may be more
   * than that, when another handle has compacted what was new. Refused with `replaced` when it is not
   * the replica that this handle has read.
   */
  readNew(): Promise<ReplicaNews>;
  /** Puts fewer, larger updates in the place of many. Does nothing when it is not worth it. */
  compact(): Promise<void>;
  /**
   * Puts another replica in the place of this one, in one step; the outbox becomes `own`, and the
   * answer the numbers of these. Writes of other handles are refused with `replaced` until they read.
   */
  replace(replica: ReplicaReplacement): Promise<readonly number[]>;
  /**
   * Begins a store anew that is `lost`, with nothing in it, or takes the one that another handle has begun
   * of that name; other handles of it have to read again. To be followed by `replace`. It gives out no
   * number that the lost one gave, to whichever handle. Refused with `lost` where that can't be done.
   */
  beginAnew(): Promise<void>;
  /** Small JSON values of this device: folds, zoom, the rows of the last view. Undefined: none. */
  readRecord(name: string): Promise<unknown>;
  writeRecord(name: string, value: unknown): Promise<void>;
  /**
   * Told when the store stops working: `newer`, for good, or `lost`; at once when it already has.
   * Answers how to stop listening.
   */
  onFailure(listener: (error: StoreError) => void): () => void;
  /** Deletes everything, for who signs out. The store is closed then; other handles are `lost`. */
  destroy(): Promise<void>;
  /** Resolves when what was begun has ended. Everything after it rejects with `failed`. */
  close(): Promise<void>;
}
