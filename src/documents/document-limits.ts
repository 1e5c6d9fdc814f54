import type { OutlineLimits } from "../core/room/outline-room.ts";
import { DEFAULT_UPDATE_LIMITS, type UpdateLimits } from "../core/updates/update-limits.ts";

export interface DocumentLimits {
  /** Estimated memory of all replicas, above which the least recently used idle ones go. */
  readonly memoryBytes: number;
  /**
   * The same of all that are in use or being opened: what would go beyond it has to wait, or is not
   * opened at all.
   */
  readonly maxMemoryBytes: number;
  /** Of that, what outlines may have together that are not small: a small one always finds room. */
  readonly maxLargeBytes: number;
  /** What a small outline takes at most. */
  readonly smallOutlineBytes: number;
  /** How long an outline waits to be opened until there is memory for it. */
  readonly memoryWaitMs: number;
  /** What an outline may have; one that has more already is opened, and may only get smaller. */
  readonly outline: OutlineLimits;
  /** A replica that nobody has used for so long is unloaded. */
  readonly idleMs: number;
  /** How often idle replicas are looked for. */
  readonly sweepMs: number;
  /** The store failed when it has not answered an append after this time, and more for large ones. */
  readonly appendTimeoutMs: number;
  /** A read failed when nothing more of it came for so long. It says nothing about the store. */
  readonly loadTimeoutMs: number;
  /**
   * Large outlines, and others, that are loaded at one time; further ones wait, in the order in which
   * they were asked for. They share the turns: with more at once the first is there no sooner than the last.
   */
  readonly largeLoadsAtOnce: number;
  readonly smallLoadsAtOnce: number;
  /** Reads of parts of stored outlines that are under way at one time. */
  readonly readsAtOnce: number;
  /** Parts of stored outlines that are kept for those who want the same next. */
  readonly keptChunkBytes: number;
  /** Folded texts of outlines that are searched, which are kept for the next search. */
  readonly searchTextBytes: number;
  /** For all of a snapshot, which is many writes: nobody waits for it. */
  readonly snapshotTimeoutMs: number;
  /** A store that failed is probed after this time, then at doubled distances up to the longest. */
  readonly probeMs: number;
  readonly longestProbeMs: number;
  /** No snapshot before the log has so many bytes behind the last one. */
  readonly minCompactionBytes: number;
  /** A log that makes its outline take so much longer to open is long, however few bytes it has. */
  readonly longTailMs: number;
  /** The same of one that is let go, or that is open when the service stops. */
  readonly unloadTailMs: number;
  /** How long snapshots hold up a stop: what would take longer is not begun. */
  readonly stopSnapshotsMs: number;
  /** How long what was deleted is kept for devices that don't know of it, and in the trash; 0: always. */
  readonly graceMs: number;
  /** Deleted nodes are removed when nothing has changed for so long … */
  readonly purgeQuietMs: number;
  /** … and no more often than this. */
  readonly purgeEveryMs: number;
  /** When what came from outside came is written down when nothing has changed for so long … */
  readonly arrivalsQuietMs: number;
  /** … or when it has waited this long. */
  readonly arrivalsEveryMs: number;
  /** Structs that the server writes under one client id. */
  readonly structsPerClient: number;
  /** Client ids that one update may bind to its author. */
  readonly maxNewClients: number;
  /**
   * Client ids that an outline may have. Every one under which something was written makes every
   * transaction half a microsecond slower, and all of them together some 9 ms; from 65,536 on no
   * client could tell what it has.
   */
  readonly maxClients: number;
  /** Structs and deletions of an update from outside that are applied in one go. */
  readonly maxStructsAtOnce: number;
  /** How long it is known what a request with a key of its own was answered … */
  readonly receiptMs: number;
  /** … unless an outline has more of them, or more bytes of answers: then the oldest go. */
  readonly maxReceipts: number;
  readonly maxReceiptBytes: number;
  /** How long it is known which nodes have changed … */
  readonly changesMs: number;
  /** … of the last so many changes of nodes, and of all that came in one append with one of them. */
  readonly maxChanges: number;
  readonly update: UpdateLimits;
}

const MIB = 2 ** 20;
const DAY_MS = 24 * 60 * 60_000;

export const DEFAULT_DOCUMENT_LIMITS: DocumentLimits = {
  memoryBytes: 1_024 * MIB,
  maxMemoryBytes: 1_024 * MIB,
  maxLargeBytes: 896 * MIB,
  smallOutlineBytes: 16 * MIB,
  memoryWaitMs: 5_000,
  outline: { maxNodes: 1_000_000, maxBytes: 768 * MIB, maxUpkeepBytes: 832 * MIB },
  idleMs: 5 * 60_000,
  sweepMs: 10_000,
  appendTimeoutMs: 5_000,
  loadTimeoutMs: 10_000,
  largeLoadsAtOnce: 2,
  smallLoadsAtOnce: 4,
  readsAtOnce: 4,
  keptChunkBytes: 16 * MIB,
  searchTextBytes: 128 * MIB,
  snapshotTimeoutMs: 5 * 60_000,
  probeMs: 100,
  longestProbeMs: 2_000,
  minCompactionBytes: MIB / 4,
  longTailMs: 200,
  unloadTailMs: 20,
  stopSnapshotsMs: 1_000,
  graceMs: 30 * DAY_MS,
  purgeQuietMs: 10_000,
  purgeEveryMs: 60 * 60_000,
  arrivalsQuietMs: 60_000,
  arrivalsEveryMs: 10 * 60_000,
  structsPerClient: 64_000,
  maxNewClients: 1_000,
  maxClients: 20_000,
  maxStructsAtOnce: 200,
  receiptMs: DAY_MS,
  maxReceipts: 10_000,
  maxReceiptBytes: 16 * MIB,
  changesMs: 30 * DAY_MS,
  maxChanges: 100_000,
  update: DEFAULT_UPDATE_LIMITS,
};
