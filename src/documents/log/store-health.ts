import type { DocumentEvents } from "../document-events.ts";
import type { DocumentLimits } from "../document-limits.ts";
import { type OutlineLog, StoreError } from "./outline-log.ts";
import type { Timers } from "../turns/timers.ts";
import { NotOwnerError, UnavailableError } from "./unavailable-error.ts";

export interface StoreHealthOptions {
  readonly log: OutlineLog;
  readonly timers: Timers;
  readonly limits: Pick<DocumentLimits, "probeMs" | "longestProbeMs" | "appendTimeoutMs">;
  readonly events: Pick<DocumentEvents, "onStoreFailing" | "onStoreWorking">;
}

/** What a slow disk writes at least. Behind a large append the others wait that long, too. */
const BYTES_PER_MS = 8 * 1024;
/**
 * In how many parts an answer is waited for. However long this process stands still, and can't see to
 * what it has asked for, one of them goes by.
 */
const WAITS = 5;

/**
 * Whether the store works: appends and probes tell. While it does not, everybody is told at once
 * instead of trying it, and one probe after the other finds out when it works again. A read that takes
 * long may be of something large: it fails alone, and a probe finds out whether the store did.
 */
export class StoreHealth {
  readonly #options: StoreHealthOptions;
  #failure: UnavailableError | undefined;
  #timer: unknown;
  #isChecking = false;
  #bytesUnderWay = 0;
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
   * Makes the store write so many bytes in one append. When it fails or does not answer in time, the
   * store counts as failing. An answer that comes later is dropped.
   * @throws UnavailableError; StoreError `outline_corrupt`, which says nothing about other outlines
   */
  async append<T>(call: () => Promise<T>, bytes: number): Promise<T> {
    this.#bytesUnderWay += bytes;
    const timeoutMs = this.#options.limits.appendTimeoutMs + this.#bytesUnderWay / BYTES_PER_MS;
    try {
      return await this.#withTimeout(call, timeoutMs);
    } catch (cause) {
      if (!isOfStore(cause)) throw asOfOutline(cause);
      throw this.#fail(cause);
    } finally {
      this.#bytesUnderWay -= bytes;
    }
  }

  /**
   * Anything else that is asked of the store. When it fails, or nothing comes of it for `timeoutMs`, it
   * has failed, and the store is probed.
   * @param call is handed what to call whenever a part of it is done
   * @throws UnavailableError; StoreError `outline_corrupt`
   */
  async attempt<T>(call: (onProgress: () => void) => Promise<T>, timeoutMs: number): Promise<T> {
    try {
      return await this.#withTimeout(call, timeoutMs);
    } catch (cause) {
      if (!isOfStore(cause)) throw asOfOutline(cause);
      void this.#check();
      throw this.#failure ?? new UnavailableError("that could not be read now", { cause });
    }
  }

  /** Makes sure that the store can be written. @throws UnavailableError, StoreError */
  async probe(): Promise<void> {
    this.require();
    await this.#options.log.probe();
    // It may have failed others meanwhile.
    this.require();
  }

  close(): void {
    this.#isClosed = true;
    this.#options.timers.clearTimeout(this.#timer);
  }

  /** One probe, whose failure is the store's. */
  async #check(): Promise<void> {
    if (this.#isChecking || this.isFailing || this.#isClosed) return;
    this.#isChecking = true;
    try {
      await this.#probeOnce();
    } catch (cause) {
      if (!this.#isClosed) this.#fail(cause);
    } finally {
      this.#isChecking = false;
    }
  }

  #fail(cause: unknown): UnavailableError {
    const { limits, events } = this.#options;
    const retryAfterMs = limits.probeMs;
    if (this.#failure === undefined) {
      this.#failure = unavailable(cause, retryAfterMs);
      events.onStoreFailing?.(cause);
      this.#probeAfter(retryAfterMs);
    }
    return this.#failure;
  }

  #probeAfter(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.timers.setTimeout(() => void this.#probe(ms), ms);
  }

  async #probe(ms: number): Promise<void> {
    const { limits, events } = this.#options;
    try {
      await this.#probeOnce();
    } catch {
      return this.#probeAfter(Math.min(ms * 2, limits.longestProbeMs));
    }
    this.#failure = undefined;
    events.onStoreWorking?.();
  }

  #probeOnce(): Promise<void> {
    const { log, limits } = this.#options;
    return this.#withTimeout(() => log.probe(), limits.appendTimeoutMs);
  }

  #withTimeout<T>(call: (onProgress: () => void) => Promise<T>, timeoutMs: number): Promise<T> {
    const { timers } = this.#options;
    return new Promise<T>((resolve, reject) => {
      let hasProgress = false;
      let left = WAITS;
      let timer: unknown;
      const wait = (): void => {
        timer = timers.setTimeout(() => {
          left = hasProgress ? WAITS : left - 1;
          hasProgress = false;
          if (left > 0) return wait();
          // When it was this process that stood still, the answer is there and only not read.
          void timers
            .yieldNow()
            .then(() => reject(new UnavailableError("the store does not answer")));
        }, timeoutMs / WAITS);
      };
      wait();
      call(() => {
        hasProgress = true;
      })
        .then(resolve, reject)
        .finally(() => timers.clearTimeout(timer));
    });
  }
}

/** Whether an error can be the store's own, and not one of what was asked, or a defect. */
function isOfStore(cause: unknown): boolean {
  if (cause instanceof StoreError) {
    return cause.code !== "outline_corrupt" && cause.code !== "not_owner";
  }
  return cause instanceof UnavailableError;
}

function asOfOutline(cause: unknown): unknown {
  const isTaken = cause instanceof StoreError && cause.code === "not_owner";
  return isTaken ? new NotOwnerError(cause) : cause;
}

function unavailable(cause: unknown, retryAfterMs: number): UnavailableError {
  return new UnavailableError("the store fails now", { cause, retryAfterMs });
}
