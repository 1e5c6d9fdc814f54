import type { OutlineId } from "../core/node-key.ts";
import { byteLengthOf } from "./byte-length.ts";
import type { DocumentLimits } from "./document-limits.ts";
import type { DocumentPorts } from "./document-ports.ts";
import type { Append, OutlineLog } from "./outline-log.ts";
import type { StoreHealth } from "./store-health.ts";
import type { StoredParts, StoredReads } from "./stored-reads.ts";

interface LogParts {
  readonly log: OutlineLog;
  readonly health: StoreHealth;
  readonly reads: StoredReads;
  readonly limits: DocumentLimits;
}

type LogPorts = StoredParts &
  Pick<
    DocumentPorts,
    | "requireStore"
    | "append"
    | "claim"
    | "load"
    | "receipts"
    | "receipt"
    | "changes"
    | "saveSnapshot"
  >;

/** The calls of the log for one outline, bounded in time. */
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
