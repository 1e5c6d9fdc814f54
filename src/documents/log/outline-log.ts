import type { OutlineId } from "../../core/node-key.ts";
import type { Clocks } from "../../core/yjs/stored-clocks.ts";

/** Position of an update in an outline's log: 1, 2, 3 … without gaps. 0 is before the first. */
export type Seq = number;

/**
 * Who may write structs under a Yjs client id of an outline. An id that somebody has written under is
 * bound for ever: if it changed hands, two replicas could write different content at the same clock.
 */
export type ClientHolder =
  /** The server's own writes. */
  | { readonly kind: "server" }
  /** The user's, with whatever key; first used with that one. Earlier versions gave out some: leases. */
  | { readonly kind: "bound" | "lease"; readonly keyId: string };

export interface ClientBinding {
  readonly client: number;
  readonly holder: ClientHolder;
}

/** A receipt, without what it says. */
export interface ReceiptPlace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** When it was written, in Unix milliseconds. */
  readonly at: number;
  /** Of what it says. */
  readonly bytes: number;
}

/** What a request that may come again was answered; opaque to the log. */
export interface Receipt extends ReceiptPlace {
  readonly answer: Uint8Array;
}

/** Which nodes changed, of some changes one behind the other; opaque to the log. */
export interface ChangeRecord {
  /** The number of the last of them: 1, 2, 3 … in each outline. */
  readonly last: number;
  readonly data: Uint8Array;
}

export interface Append {
  /**
   * Yjs updates (encoding V1), each of which gets a sequence number of its own, in this order.
   * They are read when they are written: leave them as they are until the append resolves.
   */
  readonly updates: readonly Uint8Array[];
  /** Bindings that become durable together with the updates. */
  readonly bindings?: readonly ClientBinding[];
  /** Receipts that come and go together with the updates. */
  readonly receipts?: {
    readonly added: readonly Receipt[];
    readonly removed: readonly ReceiptPlace[];
  };
  /** Records of changes that come and go together with the updates; those that go by their numbers. */
  readonly changes?: {
    readonly added: readonly ChangeRecord[];
    readonly removed: readonly number[];
  };
  /**
   * The epoch that the replica was loaded in. When the store has gone on to another one since (a
   * backup was restored), the append fails with `store_unavailable` instead of mixing two histories.
   */
  readonly epoch?: string;
  /** What `claim` has answered for the replica; see there. */
  readonly term?: Term;
}

/**
 * Who may write to an outline, where several processes can: whoever has claimed it last, which has
 * the greatest number. 0 where a store has one process only.
 */
export type Term = number;

/** Of the replica that something was made from; each as in `Append`. */
export type Fence = Pick<Append, "epoch" | "term">;

/** The state of an outline after the update `seq`, as chunks of some 32 KB; of earlier versions, of 400. */
export interface Snapshot {
  readonly seq: Seq;
  /** Applied in this order each chunk is a valid update that leaves nothing pending. */
  readonly chunks: readonly Uint8Array[];
  /** Encoded Yjs state vector of the chunks together. */
  readonly stateVector: Uint8Array;
  /** What the documents layer keeps beside the state; opaque to the log. */
  readonly annex: Uint8Array;
  /** Of memory that a replica of it takes, as it was counted; snapshots from before have none. */
  readonly memoryBytes?: number;
}

/** What is stored of an outline, without any of it. */
export interface StoredExtent {
  readonly head: Seq;
  readonly epoch: string;
  /** Of the newest snapshot; absent when there is none. */
  readonly snapshot?: {
    readonly seq: Seq;
    readonly chunks: number;
    readonly memoryBytes?: number;
  };
}

/** One of the chunks of the snapshot of a number. */
export interface ChunkPlace {
  readonly epoch: string;
  readonly seq: Seq;
  /** From 0; or the state vector of all of them. */
  readonly index: number | "state_vector";
}

export interface TailRange {
  readonly epoch: string;
  readonly after: Seq;
  /** Of updates together; the first one may go beyond it. */
  readonly maxBytes: number;
}

/** Updates of a log behind a number, in order and without gaps. */
export interface TailPage {
  /** As many as fit, at least one when there is one. */
  readonly updates: readonly Uint8Array[];
  /** Of the log, of which the page may end before. */
  readonly head: Seq;
}

export interface LoadedOutline {
  /** Absent when there is none. Whoever has loaded it may take chunks out. */
  readonly snapshot?: Snapshot & { readonly chunks: Uint8Array[] };
  /** The updates behind the snapshot, in order and without gaps. */
  readonly updates: readonly { readonly seq: Seq; readonly update: Uint8Array }[];
  readonly head: Seq;
  /** Changes when the history behind it may differ from what devices have seen (restored backup). */
  readonly epoch: string;
  /**
   * How many histories this store has gone through. The server writes under client ids from
   * `[epochOrdinal * 65536, (epochOrdinal + 1) * 65536)`, so that a restored backup reuses none.
   */
  readonly epochOrdinal: number;
  readonly bindings: ReadonlyMap<number, ClientHolder>;
  /** The number of the last change of which there is a record; 0 when there is none. */
  readonly lastChange: number;
  /** What it had before a backup was put back that lacked it; some of it may have come back. */
  readonly lost?: Clocks;
}

/** Stable codes of what a log can fail with. */
export type StoreErrorCode =
  /** The store can't be reached or written now. Nothing was acknowledged; it may work again later. */
  | "store_unavailable"
  /** The bytes of one outline can't be read as what they should be. */
  | "outline_corrupt"
  /** The store as a whole can't be opened: wrong format, damaged beyond one outline. */
  | "store_corrupt"
  /** Another process has the store open. */
  | "store_locked"
  /** The outline was claimed again since, here or by another process: what is known of it is old. */
  | "not_owner"
  /** Used after `close`. */
  | "store_closed";

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  readonly outline: OutlineId | undefined;

  constructor(
    code: StoreErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly outline?: OutlineId } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.outline = options.outline;
  }
}

/** Updates behind the newest snapshot can't be read, and no newer one makes up for them. */
export function missingUpdates(outline?: OutlineId): StoreError {
  const message = "updates behind the newest snapshot are missing";
  return new StoreError("outline_corrupt", message, outline && { outline });
}

/**
 * An append-only log of updates with snapshots, for many outlines. What the documents layer needs
 * from a store; the drivers are in `store/`, under one contract suite.
 */
export interface OutlineLog {
  /**
   * Makes the updates, bindings, receipts and records of changes durable, atomically. Resolves with the sequence number of the
   * last update (the head, when there are no updates) only after they are on stable storage, and not
   * before every earlier append of the same outline. Appends of all outlines that arrive during a
   * commit share the next one.
   * @throws StoreError `store_unavailable`: whether the bytes are there is unknown until the next
   *   `load`; the caller throws its replica away and reads again. `not_owner`: nothing was appended.
   */
  append(outline: OutlineId, append: Append): Promise<Seq>;

  /**
   * Takes the outline for a replica that is to be loaded. From now on nothing is written to it with an
   * earlier term, and what was written with one is in the next load: an append that nobody has heard
   * of any more has reached the log by now, or never will.
   * @throws StoreError
   */
  claim(outline: OutlineId): Promise<Term>;

  /**
   * One consistent read of all of it. An unknown outline is empty with head 0.
   * @param onProgress called with the bytes of each part that has been read; what it throws ends the
   *   load
   * @throws StoreError `outline_corrupt` with the outline, for damaged or missing entries
   */
  load(outline: OutlineId, onProgress?: (bytes: number) => void): Promise<LoadedOutline>;

  /** A few bytes, however large the outline is. @throws StoreError as `load` */
  extent(outline: OutlineId): Promise<StoredExtent>;

  /**
   * Whether anybody but the server holds a client id. Once true it stays so within an epoch.
   * @throws StoreError as `load`
   */
  hasDevices(outline: OutlineId): Promise<boolean>;

  /** The receipts that are kept, oldest first, without what they say. @throws StoreError as `load` */
  receipts(outline: OutlineId): Promise<readonly ReceiptPlace[]>;

  /** What a receipt says; undefined when it is not there. @throws StoreError as `load` */
  receipt(outline: OutlineId, place: ReceiptPlace): Promise<Uint8Array | undefined>;

  /**
   * The records of changes behind a number, in order: as many as fit a size, at least one when there
   * is one. @throws StoreError as `load`
   */
  changes(outline: OutlineId, after: number, maxBytes: number): Promise<readonly ChangeRecord[]>;

  /**
   * Undefined when that snapshot is not the newest one any more, or the epoch another one.
   * @throws StoreError as `load`
   */
  chunk(outline: OutlineId, place: ChunkPlace): Promise<Uint8Array | undefined>;

  /**
   * Reads nothing but the page. Undefined when not all updates behind the number are kept, the log has
   * not reached it, or the epoch is another one.
   * @throws StoreError as `load`
   */
  tail(outline: OutlineId, range: TailRange): Promise<TailPage | undefined>;

  /**
   * Replaces the snapshot and trims updates that are both behind it and older than the kept tail, in
   * one atomic and durable step. False when a newer or equal snapshot is there: it only goes forward.
   * @throws StoreError as `append`
   */
  saveSnapshot(outline: OutlineId, snapshot: Snapshot, fence?: Fence): Promise<boolean>;

  /**
   * Takes the one token of `key` that every window of `windowMs` holds, across processes.
   * Resolves to 0 when it was taken, else to the milliseconds until the next one.
   */
  takeToken(key: string, windowMs: number): Promise<number>;

  /** Every outline that has entries, in no particular order. */
  outlines(): AsyncIterable<OutlineId>;

  /** Removes an outline with everything in it. */
  drop(outline: OutlineId): Promise<void>;

  /** A cheap durable round trip, for readiness. @throws StoreError */
  probe(): Promise<void>;

  /** Waits for what is under way, then closes. */
  close(): Promise<void>;
}
