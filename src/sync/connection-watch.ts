import type { SyncLimits } from "./sync-limits.ts";

/** What is to be done about a connection. */
export type WatchFinding =
  | "ok"
  /** It is time for a ping. */
  | "beat"
  /** Nothing of what is queued was read for too long. */
  | "stalled";

/** Watches one connection by the clock, without a timer of its own. */
export class ConnectionWatch {
  readonly #limits: Pick<SyncLimits, "heartbeatMs" | "stalledMs">;
  #beatAt: number;
  #queuedBytes = 0;
  /** When the queue was last seen empty, or shorter than before. */
  #movedAt: number;

  constructor(limits: Pick<SyncLimits, "heartbeatMs" | "stalledMs">, now: number) {
    this.#limits = limits;
    this.#beatAt = now + limits.heartbeatMs;
    this.#movedAt = now;
  }

  /** To be asked about once a second. */
  look(now: number, queuedBytes: number): WatchFinding {
    const { heartbeatMs, stalledMs } = this.#limits;
    // Of a clock that was set back nothing is waited for.
    this.#beatAt = Math.min(this.#beatAt, now + heartbeatMs);
    this.#movedAt = Math.min(this.#movedAt, now);
    if (queuedBytes === 0 || queuedBytes < this.#queuedBytes) this.#movedAt = now;
    this.#queuedBytes = queuedBytes;
    if (now - this.#movedAt > stalledMs) return "stalled";
    if (now < this.#beatAt) return "ok";
    this.#beatAt = now + heartbeatMs;
    return "beat";
  }
}
