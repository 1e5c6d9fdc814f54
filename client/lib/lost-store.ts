import type { Platform } from "./platform.ts";
import { type ReplicaStore, StoreError } from "./store/replica-store.ts";

/**
 * So long after a loss a new store is begun, and so long after attempts that failed: a browser that clears
 * what it has stored, and a person who does, are done by then.
 */
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** Begins a store anew that was deleted while it was open. */
export class LostStore {
  readonly #store: ReplicaStore;
  readonly #platform: Pick<Platform, "setTimer">;
  readonly #mayBegin: () => boolean;
  readonly #onBegun: () => void;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;

  /**
   * @param mayBegin whether what was deleted may be stored once more; asked before each attempt
   * @param onBegun called when there is a store again, which has nothing in it yet
   */
  constructor(
    store: ReplicaStore,
    platform: Pick<Platform, "setTimer">,
    mayBegin: () => boolean,
    onBegun: () => void,
  ) {
    this.#store = store;
    this.#platform = platform;
    this.#mayBegin = mayBegin;
    this.#onBegun = onBegun;
  }

  /** The store is lost. Does nothing when that was said before and is being seen to. */
  begin(): void {
    if (this.#stopTimer === undefined) this.#beginIn(FIRST_MS);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
  }

  #beginIn(waitMs: number): void {
    if (this.#isClosed) return;
    this.#stopTimer = this.#platform.setTimer(() => void this.#begin(waitMs), waitMs);
  }

  async #begin(waitedMs: number): Promise<void> {
    if (!this.#mayBegin()) {
      this.#stopTimer = undefined;
      return;
    }
    try {
      await this.#store.beginAnew();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return this.#beginIn(Math.min(LONGEST_MS, 2 * waitedMs));
    }
    this.#stopTimer = undefined;
    if (!this.#isClosed) this.#onBegun();
  }
}
