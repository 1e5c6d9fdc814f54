import type { OutlineId } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { type LoadedReplica, loadStored, outlineInSlices } from "./load-replica.ts";
import type { Platform } from "./platform.ts";
import type { ServerClock } from "./server-clock.ts";
import { type ReplicaStore, StoreError } from "./store/replica-store.ts";
import type { Replacement } from "./tab-message.ts";

/** A store that could not be read, or has only what was there before, is asked again so much later. */
const AGAIN_MS = 1_000;

/** What has taken the place of the stored replica. */
export interface LoadedReplacement extends LoadedReplica {
  readonly outline: Outline;
  /** Whether it could not be read at first: what was told meanwhile was not heard. */
  readonly isLate: boolean;
}

/** Reads what another tab puts in the place of the stored replica, which may not be there at once. */
export class ReplacementReader {
  readonly #store: ReplicaStore;
  readonly #platform: Platform;
  readonly #clock: ServerClock;
  /** Of the replica in the store that is here. */
  #generation: number;
  #missed: Replacement | undefined;
  /** Whether what was missed is in the store by now. */
  #isStored = false;
  #stopTimer: (() => void) | undefined;

  constructor(store: ReplicaStore, platform: Platform, clock: ServerClock, generation: number) {
    this.#store = store;
    this.#platform = platform;
    this.#clock = clock;
    this.#generation = generation;
  }

  /** Whether what is here has been replaced by something that was not read yet. */
  get isMissing(): boolean {
    return this.#missed !== undefined;
  }

  /**
   * A replacement is in the store. A tab that opened at that moment may have read it there before it
   * heard of it: then it has it, and the store never has another one.
   */
  onStored(generation: string): void {
    if (this.#missed?.generation === generation) this.#isStored = true;
  }

  /** What is here stays. */
  stop(): void {
    this.#missed = undefined;
    this.#stopTimer?.();
  }

  /**
   * Undefined when it can't be read now; then `again` is called later.
   * @param id whose outline it is
   */
  async read(
    replacement: Replacement,
    id: OutlineId,
    again: () => void,
  ): Promise<LoadedReplacement | undefined> {
    const isLate = this.#missed === replacement;
    this.stop();
    this.#missed = replacement;
    this.#isStored &&= isLate;
    try {
      const loaded = await loadStored(this.#store, this.#platform);
      const { generation } = loaded.stored;
      if (generation === this.#generation && !this.#isStored) {
        throw new StoreError("failed", "it is not stored yet");
      }
      const outline = await outlineInSlices(loaded.doc, id, this.#platform, this.#clock);
      this.#generation = generation;
      this.#missed = undefined;
      return { ...loaded, outline, isLate };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (this.#missed === replacement) this.#stopTimer = this.#platform.setTimer(again, AGAIN_MS);
      return undefined;
    }
  }
}
