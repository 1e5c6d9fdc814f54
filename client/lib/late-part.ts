import type { Platform } from "./platform.ts";

/** What could not be fetched is asked for again so much later. */
const AGAIN_MS = 5_000;

/** A part of the program that is fetched beside the rest, again and again as long as that fails. */
export class LatePart<T> {
  /** Never rejects. Stays open when the part is closed before it came. */
  readonly loaded: Promise<T>;
  readonly #load: () => Promise<T>;
  readonly #platform: Pick<Platform, "setTimer">;
  readonly #onMissing: () => void;
  #stopTimer: (() => void) | undefined;
  #isClosed = false;

  /** @param onMissing called each time that it can't be had */
  constructor(load: () => Promise<T>, platform: Pick<Platform, "setTimer">, onMissing: () => void) {
    this.#load = load;
    this.#platform = platform;
    this.#onMissing = onMissing;
    this.loaded = new Promise((resolve) => void this.#fetch(resolve));
  }

  /** Asks no more. */
  close(): void {
    this.#isClosed = true;
    this.#stopTimer?.();
  }

  async #fetch(onLoaded: (part: T) => void): Promise<void> {
    try {
      onLoaded(await this.#load());
    } catch {
      if (this.#isClosed) return;
      this.#stopTimer = this.#platform.setTimer(() => void this.#fetch(onLoaded), AGAIN_MS);
      this.#onMissing();
    }
  }
}
