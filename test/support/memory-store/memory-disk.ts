import type {
  KeyRecord,
  SessionRecord,
  User,
  UserId,
  WebhookRecord,
} from "../../../src/accounts/account-store.ts";
import type { OutlineId } from "../../../src/core/node-key.ts";
import type {
  ClientHolder,
  Receipt,
  Seq,
  Snapshot,
} from "../../../src/documents/log/outline-log.ts";

export interface StoredOutline {
  /** The kept updates; the last one has the sequence number `head`. [Q61] */
  updates: Uint8Array[];
  head: Seq;
  snapshot: Snapshot | undefined;
  /** [Q58] */
  readonly bindings: Map<number, ClientHolder>;
  /** By id. [Q77] */
  readonly receipts: Map<string, Receipt>;
  /** By number. [Q78] */
  readonly changes: Map<number, Uint8Array>;
}

/** What outlives a MemoryStore: open another one on the same disk, and that was a restart. */
export interface MemoryDisk {
  epoch: string;
  epochOrdinal: number;
  /** One for each user. [Q67] */
  readonly outlines: Map<OutlineId, StoredOutline>;
  /** [Q24] */
  readonly tokensTakenAt: Map<string, number>;
  /** Those whom the operator has added. [Q67] */
  readonly users: Map<UserId, User>;
  /** By hash, in the order in which they were added. [Q21] */
  readonly keys: Map<string, KeyRecord>;
  /** The same. [Q22] */
  readonly sessions: Map<string, SessionRecord>;
  /** By id, in the same order. [Q110] */
  readonly webhooks: Map<string, WebhookRecord>;
}

export function newMemoryDisk(): MemoryDisk {
  return {
    epoch: "first epoch",
    epochOrdinal: 0,
    outlines: new Map(),
    tokensTakenAt: new Map(),
    users: new Map(),
    keys: new Map(),
    sessions: new Map(),
    webhooks: new Map(),
  };
}
