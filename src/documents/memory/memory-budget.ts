import type { DocumentLimits } from "../document-limits.ts";
import type { Timers } from "../turns/timers.ts";
import { UnavailableError } from "../log/unavailable-error.ts";

export interface MemoryBudgetOptions {
  readonly limits: Pick<
    DocumentLimits,
    "memoryBytes" | "maxMemoryBytes" | "maxLargeBytes" | "smallOutlineBytes" | "memoryWaitMs"
  >;
  readonly timers: Pick<Timers, "setTimeout" | "clearTimeout">;
  /** Lets go of outlines that nobody uses, of so many bytes where that is possible. */
  readonly letGo: (bytes: number) => void;
}

/** The memory of one outline, from `open` to `end`. */
export interface MemoryShare {
  readonly bytes: number;
  /** What it takes now, whether or not there was room for it. */
  set(bytes: number): void;
  /** The same when there is room for it, else false and nothing has changed. */
  grow(bytes: number): boolean;
  /** It takes nothing any more. May be called more than once. */
  end(): void;
}

/** Of the memory for outlines, above which there is no room for others. */
const FULL_SHARE = 0.85;

/** When those who had to wait in vain may try again. */
const RETRY_MS = 5_000;

/**
 * Divides the memory for outlines, in use or not, among them. What would not fit waits a while for
 * others to go. Large ones leave some for small ones, so that these always find room.
 */
export class MemoryBudget {
  readonly #options: MemoryBudgetOptions;
  #bytes = 0;
  /** Of those that are not small. */
  #largeBytes = 0;
  /** Those for whom there was no room, in the order in which they came; each waits for some seconds [Q64]. */
  readonly #waiting = new Set<() => void>();

  constructor(options: MemoryBudgetOptions) {
    this.#options = options;
  }

  /** What all have. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether outlines that were used of late leave no room for others. */
  get isFull(): boolean {
    return this.#bytes > FULL_SHARE * this.#options.limits.memoryBytes;
  }

  /** The most that there can ever be for one outline. */
  get most(): number {
    return this.#options.limits.maxLargeBytes;
  }

  /** The share of an outline that has nothing yet. */
  open(): MemoryShare {
    let bytes = 0;
    let hasEnded = false;
    const set = (wanted: number): void => {
      if (hasEnded) return;
      const before = bytes;
      this.#count(before, -1);
      bytes = wanted;
      this.#count(wanted, 1);
      if (wanted < before) this.#wakeSoon();
    };
    return {
      get bytes() {
        return bytes;
      },
      set,
      grow: (wanted) => {
        if (!this.#makesRoomFor(bytes, wanted)) return false;
        set(wanted);
        return true;
      },
      end: () => {
        set(0);
        hasEnded = true;
      },
    };
  }

  /**
   * Waits until a share may have so much, and gives it.
   * @throws UnavailableError when that takes too long
   */
  async wait(share: MemoryShare, bytes: number): Promise<void> {
    if (share.grow(bytes)) return;
    const { limits, timers } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const tryAgain = (): void => {
        if (share.grow(bytes)) end(resolve);
      };
      const end = (settle: () => void): void => {
        timers.clearTimeout(timer);
        this.#waiting.delete(tryAgain);
        settle();
      };
      const timer = timers.setTimeout(() => end(() => reject(noMemory())), limits.memoryWaitMs);
      this.#waiting.add(tryAgain);
    });
  }

  #makesRoomFor(before: number, wanted: number): boolean {
    const missing = this.#missingFor(before, wanted);
    if (missing <= 0) return true;
    this.#options.letGo(missing);
    return this.#missingFor(before, wanted) <= 0;
  }

  /** How much too much it would be; 0 or less when it fits. */
  #missingFor(before: number, wanted: number): number {
    const { maxMemoryBytes, maxLargeBytes } = this.#options.limits;
    const inAll = this.#bytes - before + wanted - maxMemoryBytes;
    if (!this.#isLarge(wanted)) return inAll;
    const large = this.#largeBytes - (this.#isLarge(before) ? before : 0) + wanted;
    return Math.max(inAll, large - maxLargeBytes);
  }

  #isLarge(bytes: number): boolean {
    return bytes > this.#options.limits.smallOutlineBytes;
  }

  #count(bytes: number, sign: 1 | -1): void {
    this.#bytes += sign * bytes;
    if (this.#isLarge(bytes)) this.#largeBytes += sign * bytes;
  }

  #wake(): void {
    for (const tryAgain of this.#waiting) tryAgain();
  }

  /** Not at once: room may just be made for somebody. */
  #wakeSoon(): void {
    if (this.#waiting.size > 0) void Promise.resolve().then(() => this.#wake());
  }
}

export function noMemory(): UnavailableError {
  return new UnavailableError("there is no memory for the outline now", {
    retryAfterMs: RETRY_MS,
  });
}
