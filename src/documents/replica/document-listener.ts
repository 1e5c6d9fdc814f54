import type { Author } from "./author.ts";
import type { Seq } from "../log/outline-log.ts";

/** Updates that became durable with one append. */
export interface DurableBatch {
  /** In the order of the log; the last one has the number `head`. */
  readonly updates: readonly Uint8Array[];
  /** Who sent each of them; undefined for what the server wrote itself. */
  readonly authors: readonly (Author | undefined)[];
  readonly head: Seq;
}

/**
 * Why what was not durable yet is lost.
 * - `store`: the store failed, or did not answer in time
 * - `error`: a defect; the replica was thrown away before it could do harm
 * - `busy`: nothing is lost, but what was done last took too long, and nothing is taken for a while
 * - anything else: what `Documents.evictAll` was told
 */
export type LossReason = string;

/** It is for another process to serve, or may be: nothing more is to be done with it here. */
export const TAKEN_OVER: LossReason = "another process may serve it";

/** Follows an outline, whether it is open or not. */
export interface DocumentListener {
  /** Called in the order of the log, for all updates from the subscription on. Must not throw. */
  onDurable(batch: DurableBatch): void;
  /** What was sent and not acknowledged is not there, or nobody knows. Must not throw. */
  onLost(reason: LossReason): void;
}
