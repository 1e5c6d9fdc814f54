/**
 * How much of a log stays behind a snapshot, so that devices that were away for a while can resume
 * by sequence number: the newest updates, as many as fit both limits.
 */
export interface TailLimits {
  readonly updates: number;
  readonly bytes: number;
}

export const DEFAULT_TAIL: TailLimits = { updates: 1000, bytes: 1024 * 1024 };
