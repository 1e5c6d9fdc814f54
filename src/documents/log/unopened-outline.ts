import {
  type ChunkPlace,
  type Seq,
  type StoredExtent,
  StoreError,
  type TailPage,
  type TailRange,
} from "./outline-log.ts";
import { StoredState } from "./stored-state.ts";
import type { IsWanted, StoredParts } from "./stored-reads.ts";
import type { Turn } from "../turns/turns.ts";

/** Updates that are given out at once. */
export const PAGE_BYTES = 512 * 1024;

export interface UnopenedOptions {
  readonly parts: StoredParts;
  /** @throws UnavailableError when the outline can't be had now */
  readonly require: () => void;
  /** For what is done with stored updates. */
  readonly turn: Turn;
}

/**
 * An outline as its log has it, without opening it. What it tells is what an `OutlineDocument` would
 * tell. Whoever has it follows the outline from before it was read, and tells it what has become
 * durable since; when the outline is lost it is of no use any more. All of it throws UnavailableError,
 * and StoreError `outline_corrupt`.
 */
export class UnopenedOutline {
  readonly epoch: string;
  readonly state: StoredState;
  readonly #options: UnopenedOptions;
  #head: Seq;
  #hasDevices = false;

  private constructor(options: UnopenedOptions, { epoch, head }: StoredExtent) {
    this.#options = options;
    this.epoch = epoch;
    this.#head = head;
    this.state = new StoredState(this, options.turn);
  }

  static async of(options: UnopenedOptions, isWanted: IsWanted): Promise<UnopenedOutline> {
    options.require();
    const extent = await options.parts.extent(isWanted);
    options.require();
    return new UnopenedOutline(options, extent);
  }

  /** The number of the last update that is known to be durable. */
  get head(): Seq {
    return this.#head;
  }

  /** So much has become durable. */
  reach(head: Seq): void {
    this.#head = Math.max(this.#head, head);
  }

  /** Whether it is durable that a device may hold edits that have not come yet; see `expectDevice`. */
  async hasDevices(isWanted: IsWanted): Promise<boolean> {
    this.#options.require();
    return (this.#hasDevices ||= await this.#options.parts.hasDevices(isWanted));
  }

  async extent(isWanted: IsWanted): Promise<StoredExtent> {
    this.#options.require();
    const extent = await this.#options.parts.extent(isWanted);
    if (extent.epoch === this.epoch) this.reach(extent.head);
    return extent;
  }

  chunk(place: ChunkPlace, isWanted: IsWanted): Promise<Uint8Array | undefined> {
    this.#options.require();
    return this.#options.parts.chunk(place, isWanted);
  }

  async since(seq: Seq, isWanted: IsWanted): Promise<readonly Uint8Array[] | undefined> {
    this.#options.require();
    if (seq > this.#head) return undefined;
    const range = { epoch: this.epoch, after: seq, maxBytes: PAGE_BYTES };
    const page = await tailIfReadable(this.#options.parts, range, isWanted);
    // What came late into the log was told to nobody, and may be in the page.
    if (page !== undefined) this.reach(page.head);
    return page?.updates;
  }
}

/** Undefined also when it can't be read: the snapshot may make up for it. */
export async function tailIfReadable(
  { tail }: Pick<StoredParts, "tail">,
  range: TailRange,
  isWanted: IsWanted | undefined,
): Promise<TailPage | undefined> {
  try {
    return await tail(range, isWanted);
  } catch (error) {
    if (error instanceof StoreError && error.code === "outline_corrupt") return undefined;
    throw error;
  }
}
