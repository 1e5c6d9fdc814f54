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
  #progress = 0;
  /** When the queue was last seen empty, or some of it was read. */
  #movedAt: number;

  constructor(limits: Pick<SyncLimits, "heartbeatMs" | "stalledMs">, now: number) {
    this.#limits = limits;
    this.#beatAt = now + limits.heartbeatMs;
    this.#movedAt = now;
  }

  /** To be asked about once a second. `progress` grows when the client reads. */
  look(
    now: number,
    sent: { readonly queuedBytes: number; readonly progress: number },
  ): WatchFinding {
    const { heartbeatMs, stalledMs } = this.#limits;
    // Of a clock that was set back nothing is waited for.
    this.#beatAt = Math.min(this.#beatAt, now + heartbeatMs);
    this.#movedAt = Math.min(this.#movedAt, now);
    if (sent.queuedBytes === 0 || sent.progress > this.#progress) this.#movedAt = now;
    this.#progress = sent.progress;
    if (now - this.#movedAt > stalledMs) return "stalled";
    if (now < this.#beatAt) return "ok";
    this.#beatAt = now + heartbeatMs;
    return "beat";
  }
}
