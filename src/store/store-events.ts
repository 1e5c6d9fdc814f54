import type { StoreError } from "../documents/log/outline-log.ts";

export interface CommitStatistics {
  readonly writes: number;
  readonly operations: number;
  readonly durationMs: number;
}

/** What happens in a store, for logs and metrics. */
export interface StoreEvents {
  /** The last process that had it has not closed it: it crashed, was killed, or lost its power. */
  readonly onUncleanEnd?: () => void;
  /** So many pieces of the log can't be read. A new epoch has begun; it is served in spite of that. */
  readonly onLogLoss?: (pieces: number) => void;
  readonly onCommit?: (statistics: CommitStatistics) => void;
  /** A write failed: nothing is acknowledged until the database was opened again. */
  readonly onFailure?: (error: StoreError) => void;
  readonly onRecovery?: () => void;
  /** An outline that no process served, of several, was taken by this one. */
  readonly onTaken?: () => void;
  /** An append was refused: another process has claimed its outline. */
  readonly onRefused?: () => void;
}
