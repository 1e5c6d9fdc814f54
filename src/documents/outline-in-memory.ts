import type { OutlineId } from "../core/node-key.ts";
import type { MemoryShare } from "./memory/memory-budget.ts";
import type { OutlineDocument } from "./replica/outline-document.ts";
import type { Loaded } from "./outline-loads.ts";
import type { IsWanted } from "./log/stored-reads.ts";
import { NotWantedError } from "./log/unavailable-error.ts";

/** A document that stays in memory until it is released. */
export interface OpenDocument {
  readonly document: OutlineDocument;
  /** May be called more than once. */
  readonly release: () => void;
}

export interface OutlineInMemoryOptions {
  readonly id: OutlineId;
  /** Those in memory [Q52]: it stands last among them whenever it is used. */
  readonly outlines: Map<OutlineId, OutlineInMemory>;
  readonly share: MemoryShare;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** @param isWanted whether anybody still waits for it */
  readonly load: (isWanted: () => boolean) => Promise<Loaded>;
}

/** An outline in memory, or on its way there, and who uses it. */
export class OutlineInMemory {
  readonly id: OutlineId;
  readonly share: MemoryShare;
  readonly loading: Promise<Loaded>;
  /** [Q52] */
  readonly #outlines: Map<OutlineId, OutlineInMemory>;
  readonly #now: () => number;
  /** Who waits for the loading, one for each that does [Q50]. */
  readonly #askers = new Set<IsWanted>();
  #loaded: Loaded | undefined;
  #pins = 0;
  #usedAt: number;

  constructor({ id, outlines, share, now, load }: OutlineInMemoryOptions) {
    this.id = id;
    this.#outlines = outlines;
    this.share = share;
    this.#now = now;
    this.#usedAt = now();
    this.loading = load(() => [...this.#askers].some((isAsking) => isAsking()));
    this.loading.then(
      (loaded) => (this.#loaded = loaded),
      () => undefined,
    );
  }

  /** Undefined while it is loaded. */
  get loaded(): Loaded | undefined {
    return this.#loaded;
  }

  /** Whether anybody uses it, or waits for it. */
  get isPinned(): boolean {
    return this.#pins > 0;
  }

  /** Unix milliseconds. */
  get usedAt(): number {
    return this.#usedAt;
  }

  /** Says that it is used now. */
  touch(): void {
    this.#usedAt = this.#now();
    if (this.#outlines.get(this.id) !== this) return;
    this.#outlines.delete(this.id);
    this.#outlines.set(this.id, this);
  }

  /**
   * Waits for it, and keeps it in memory meanwhile.
   * @returns `gone` when it was given up just before, or has ended since, and is to be opened anew
   * @throws UnavailableError, StoreError `outline_corrupt`
   */
  async open(isWanted: IsWanted): Promise<OpenDocument | "gone"> {
    this.#pins++;
    const loaded = await this.#whenLoaded(isWanted);
    if (loaded?.live.isOpen === true) return this.#pinned(loaded);
    this.#pins--;
    await loaded?.live.ended;
    return "gone";
  }

  /** Undefined when it was given up although it is wanted here. */
  async #whenLoaded(isWanted: IsWanted): Promise<Loaded | undefined> {
    // Each is one of its own, however often the same is given.
    const isAsking = (): boolean => isWanted();
    this.#askers.add(isAsking);
    try {
      return await this.loading;
    } catch (error) {
      if (error instanceof NotWantedError && isWanted()) return undefined;
      this.#pins--;
      throw error;
    } finally {
      this.#askers.delete(isAsking);
    }
  }

  #pinned({ document }: Loaded): OpenDocument {
    let isPinned = true;
    this.touch();
    return {
      document,
      release: () => {
        if (!isPinned) return;
        isPinned = false;
        this.#pins--;
        this.touch();
      },
    };
  }
}
