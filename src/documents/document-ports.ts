import type { DocumentEvents } from "./document-events.ts";
import type { DocumentLimits } from "./document-limits.ts";
import type { KeptTail } from "./kept-tail.ts";
import type { MemoryShare } from "./memory-budget.ts";
import type { OutlineTurns } from "./outline-turns.ts";
import type { OutlineChannel } from "./outline-channel.ts";
import type {
  Append,
  ChangeRecord,
  Fence,
  LoadedOutline,
  ReceiptPlace,
  Seq,
  Snapshot,
  Term,
} from "./outline-log.ts";
import type { StoredParts } from "./stored-reads.ts";
import type { Timers } from "./timers.ts";

/**
 * What an open outline needs from `Documents`, all for this outline. Parts of what is stored are read
 * in turn with those of other outlines; see `StoredReads`.
 */
export interface DocumentPorts extends StoredParts {
  readonly limits: DocumentLimits;
  readonly timers: Timers;
  readonly turns: OutlineTurns;
  readonly events: DocumentEvents;
  readonly channel: OutlineChannel;
  readonly now: () => number;
  /** Of the memory for outlines; ended by `Documents`. */
  readonly share: MemoryShare;
  /** @throws UnavailableError while the store fails */
  readonly requireStore: () => void;
  /** The calls of the log, bounded in time. @throws UnavailableError, StoreError `outline_corrupt` */
  readonly append: (append: Append) => Promise<Seq>;
  /**
   * Takes what is known to be durable of a replica that is lost.
   * @param hasOwner whether somebody else seems to have the outline, and all that was durable of it
   */
  readonly keepTail: (tail: KeptTail, hasOwner: boolean) => void;
  /** Whether what is in memory may be served; false when another process may have changed it. */
  readonly holds: () => boolean;
  readonly claim: () => Promise<Term>;
  /** @param onBytes called with the bytes of each part that was read; what it throws ends the load */
  readonly load: (onBytes: (bytes: number) => void) => Promise<LoadedOutline>;
  readonly receipts: () => Promise<readonly ReceiptPlace[]>;
  readonly receipt: (place: ReceiptPlace) => Promise<Uint8Array | undefined>;
  readonly changes: (after: number, maxBytes: number) => Promise<readonly ChangeRecord[]>;
  readonly saveSnapshot: (snapshot: Snapshot, fence: Fence) => Promise<boolean>;
  /** Runs a compaction when no other outline's is running. */
  readonly whenFree: (work: () => Promise<void>) => Promise<void>;
}
