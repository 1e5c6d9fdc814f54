import { DEFAULT_UPDATE_LIMITS, type UpdateLimits } from "../core/update-guard.ts";

export interface DocumentLimits {
  /** Estimated memory of all replicas, above which the least recently used idle ones go. */
  readonly memoryBytes: number;
  /** A replica that nobody has used for so long is unloaded. */
  readonly idleMs: number;
  /** How often idle replicas are looked for. */
  readonly sweepMs: number;
  /** The store failed when it has not answered after this time. */
  readonly appendTimeoutMs: number;
  readonly loadTimeoutMs: number;
  /** For all of a snapshot, which is many writes: nobody waits for it. */
  readonly snapshotTimeoutMs: number;
  /** A store that failed is probed after this time, then at doubled distances up to the longest. */
  readonly probeMs: number;
  readonly longestProbeMs: number;
  /** No snapshot before the log has so many bytes behind the last one. */
  readonly minCompactionBytes: number;
  /** How long what was deleted is kept for devices that don't know of it, and in the trash; 0: always. */
  readonly graceMs: number;
  /** Deleted nodes are removed when nothing has changed for so long … */
  readonly purgeQuietMs: number;
  /** … and no more often than this. */
  readonly purgeEveryMs: number;
  /** Structs that the server writes under one client id. */
  readonly structsPerLease: number;
  /** Client ids that one update may bind to its author. */
  readonly maxNewClients: number;
  /**
   * Client ids that an outline may have; leases, 40,000 at most, are not refused. Every one makes every
   * transaction a microsecond slower, and from 65,536 on no client could tell what it has.
   */
  readonly maxClients: number;
  /** Structs and deletions of an update from outside that are applied in one go. */
  readonly maxStructsAtOnce: number;
  readonly update: UpdateLimits;
}

const MIB = 2 ** 20;
const DAY_MS = 24 * 60 * 60_000;

export const DEFAULT_DOCUMENT_LIMITS: DocumentLimits = {
  memoryBytes: 1_024 * MIB,
  idleMs: 5 * 60_000,
  sweepMs: 10_000,
  appendTimeoutMs: 5_000,
  loadTimeoutMs: 10_000,
  snapshotTimeoutMs: 5 * 60_000,
  probeMs: 100,
  longestProbeMs: 2_000,
  minCompactionBytes: MIB / 4,
  graceMs: 30 * DAY_MS,
  purgeQuietMs: 10_000,
  purgeEveryMs: 60 * 60_000,
  structsPerLease: 64_000,
  maxNewClients: 1_000,
  maxClients: 20_000,
  maxStructsAtOnce: 200,
  update: DEFAULT_UPDATE_LIMITS,
};
