import type { OutlineId } from "../../core/node-key.ts";
import { byteLengthOf } from "./byte-length.ts";
import type { DocumentLimits } from "../document-limits.ts";
import type {
  Append,
  ChangeRecord,
  Fence,
  LoadedOutline,
  OutlineLog,
  ReceiptPlace,
  Seq,
  Snapshot,
  Term,
} from "./outline-log.ts";
import type { StoreHealth } from "./store-health.ts";
import type { StoredParts, StoredReads } from "./stored-reads.ts";

interface LogParts {
  readonly log: OutlineLog;
  readonly health: StoreHealth;
  readonly reads: StoredReads;
  readonly limits: DocumentLimits;
}

/** The calls of the log for one outline, bounded in time. @throws UnavailableError, StoreError `outline_corrupt` */
export interface LogPorts extends StoredParts {
  /** @throws UnavailableError while the store fails */
  readonly requireStore: () => void;
  readonly append: (append: Append) => Promise<Seq>;
  readonly claim: () => Promise<Term>;
  /** @param onBytes called with the bytes of each part that was read; what it throws ends the load */
  readonly load: (onBytes: (bytes: number) => void) => Promise<LoadedOutline>;
  readonly receipts: () => Promise<readonly ReceiptPlace[]>;
  readonly receipt: (place: ReceiptPlace) => Promise<Uint8Array | undefined>;
  readonly changes: (after: number, maxBytes: number) => Promise<readonly ChangeRecord[]>;
  readonly saveSnapshot: (snapshot: Snapshot, fence: Fence) => Promise<boolean>;
}

export function logPorts({ log, health, reads, limits }: LogParts, id: OutlineId): LogPorts {
  const { loadTimeoutMs, snapshotTimeoutMs } = limits;
  return {
    requireStore: () => health.require(),
    append: (append) => health.append(() => log.append(id, append), sizeOf(append)),
    claim: () => health.attempt(() => log.claim(id), loadTimeoutMs),
    load: (onBytes) =>
      health.attempt((onProgress) => {
        return log.load(id, (bytes) => {
          onProgress();
          onBytes(bytes);
        });
      }, loadTimeoutMs),
    receipts: () => health.attempt(() => log.receipts(id), loadTimeoutMs),
    receipt: (place) => health.attempt(() => log.receipt(id, place), loadTimeoutMs),
    changes: (after, maxBytes) =>
      health.attempt(() => log.changes(id, after, maxBytes), loadTimeoutMs),
    ...reads.of(id),
    saveSnapshot: (snapshot, fence) =>
      health.attempt(() => log.saveSnapshot(id, snapshot, fence), snapshotTimeoutMs),
  };
}

function sizeOf({ updates, receipts, changes }: Append): number {
  return byteLengthOf([
    ...updates,
    ...(receipts?.added.map(({ answer }) => answer) ?? []),
    ...(changes?.added.map(({ data }) => data) ?? []),
  ]);
}
