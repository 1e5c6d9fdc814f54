import { type OutlineLog, StoreError } from "./outline-log.ts";
import type { Timers } from "./timers.ts";
import { UnavailableError } from "./unavailable-error.ts";

export interface StoreHealthOptions {
  readonly log: OutlineLog;
  readonly timers: Timers;
  readonly probeMs: number;
  readonly longestProbeMs: number;
  /** After which time a call counts as failed. */
  readonly timeoutMs: number;
}

/**
 * Whether the store works. While it does not, everybody is told at once instead of trying it, and
 * one probe after the other finds out when it works again.
 */
export class StoreHealth {
  readonly #options: StoreHealthOptions;
  #failure: UnavailableError | undefined;
  #timer: unknown;
  #isClosed = false;

  constructor(options: StoreHealthOptions) {
    this.#options = options;
  }

  get isFailing(): boolean {
    return this.#failure !== undefined;
  }

  /** @throws UnavailableError while the store fails */
  require(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Asks the store, for no longer than `timeoutMs`. An answer that comes later is dropped.
   * @throws UnavailableError when it fails or does not answer; StoreError `outline_corrupt`, which
   *   says nothing about other outlines
   */
  async ask<T>(call: () => Promise<T>, timeoutMs: number): Promise<T> {
    try {
      return await this.#withTimeout(call(), timeoutMs);
    } catch (cause) {
      if (cause instanceof StoreError && cause.code === "outline_corrupt") throw cause;
      if (!(cause instanceof StoreError || cause instanceof UnavailableError)) throw cause;
      throw this.#fail(cause);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#options.timers.clearTimeout(this.#timer);
  }

  #fail(cause: unknown): UnavailableError {
    const retryAfterMs = this.#options.probeMs;
    if (this.#failure === undefined) {
      this.#failure = new UnavailableError("the store fails now", { cause, retryAfterMs });
      this.#probeAfter(retryAfterMs);
    }
    return this.#failure;
  }

  #probeAfter(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.timers.setTimeout(() => void this.#probe(ms), ms);
  }

  async #probe(ms: number): Promise<void> {
    const { log, timeoutMs, longestProbeMs } = this.#options;
    try {
      await this.#withTimeout(log.probe(), timeoutMs);
      this.#failure = undefined;
    } catch {
      this.#probeAfter(Math.min(ms * 2, longestProbeMs));
    }
  }

  #withTimeout<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
    const { timers } = this.#options;
    return new Promise<T>((resolve, reject) => {
      const timer = timers.setTimeout(() => {
        // When it was this process that stood still, the answer is there and only not read.
        void timers
          .yieldNow()
          .then(() => reject(new UnavailableError("the store does not answer")));
      }, timeoutMs);
      answer.then(resolve, reject).finally(() => timers.clearTimeout(timer));
    });
  }
}
