import type { KeyRecord, User, UserId } from "../accounts/account-store.ts";
import type { OutlineId } from "../core/node-key.ts";
import type { ClientHolder, Seq, Snapshot } from "../documents/outline-log.ts";

export interface StoredOutline {
  /** The kept updates; the last one has the sequence number `head`. */
  updates: Uint8Array[];
  head: Seq;
  snapshot: Snapshot | undefined;
  readonly bindings: Map<number, ClientHolder>;
}

/** What outlives a MemoryStore: open another one on the same disk, and that was a restart. */
export interface MemoryDisk {
  epoch: string;
  epochOrdinal: number;
  readonly outlines: Map<OutlineId, StoredOutline>;
  readonly tokensTakenAt: Map<string, number>;
  readonly users: Map<UserId, User>;
  /** By hash, in the order in which they were added. */
  readonly keys: Map<string, KeyRecord>;
}

export function newMemoryDisk(): MemoryDisk {
  return {
    epoch: "first epoch",
    epochOrdinal: 0,
    outlines: new Map(),
    tokensTakenAt: new Map(),
    users: new Map(),
    keys: new Map(),
  };
}
