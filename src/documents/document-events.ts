import type { OutlineId } from "../core/node-key.ts";
import type { Missing } from "../core/yjs/stored-clocks.ts";

/** What happens inside, for metrics. All optional; none may throw. */
export interface DocumentEvents {
  /** An append became durable. */
  onCommit?(latencyMs: number, updates: number, bytes: number): void;
  /** An outline was loaded; `bytes` were read. */
  onLoad?(ms: number, bytes: number): void;
  /** A replica left the memory: it was idle or in the way, or it was lost. */
  onEvict?(reason: "idle" | "memory" | "lost"): void;
  /** An outline was not opened because it would take so much memory, or more. */
  onTooLarge?(outline: OutlineId, bytes: number): void;
  /** Something is wrong with the program: it went on as well as it could. */
  onDefect?(error: unknown): void;
  /** The store counts as failing: everybody is refused until it works again. */
  onStoreFailing?(cause: unknown): void;
  onStoreWorking?(): void;
  /** A snapshot was written. */
  onCompaction?(ms: number, bytes: number): void;
  /**
   * After a backup was put back somebody handed in what the server or others had written before: so
   * many characters and values.
   */
  onBroughtBack?(outline: OutlineId, structs: number): void;
  /**
   * In a new history of the store an outline lacked updates that this process knew to be durable, and
   * has handed in; `refused` of them could not be.
   */
  onHandedIn?(
    outline: OutlineId,
    count: { readonly updates: number; readonly refused: number },
  ): void;
  /** An outline was loaded, or a part of this came back, that lacks what it had before a restore. */
  onStillMissing?(outline: OutlineId, missing: Missing): void;
  /** Deleted nodes were removed for good. */
  onPurge?(ms: number, nodes: number): void;
}
