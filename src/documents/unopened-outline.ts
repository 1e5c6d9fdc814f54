import {
  type ChunkPlace,
  type Seq,
  type StoredExtent,
  StoreError,
  type TailPage,
  type TailRange,
} from "./outline-log.ts";
import type { IsWanted, StoredParts } from "./stored-reads.ts";

/** Updates that are given out at once. */
export const PAGE_BYTES = 512 * 1024;
export interface UnopenedOptions {
  readonly parts: StoredParts;
  /** @throws UnavailableError when the outline can't be had now */
  readonly require: () => void;
}

/**
 * An outline as its log has it, without opening it. The methods are those of `OutlineDocument`, and
 * answer what they would answer. Whoever has it follows the outline from before it was read, and tells
 * it what has become durable since; when the outline is lost it is of no use any more.
 */
export class UnopenedOutline {
  readonly epoch: string;
  readonly #options: UnopenedOptions;
  #head: Seq;

  private constructor(options: UnopenedOptions, { epoch, head }: StoredExtent) {
    this.#options = options;
    this.epoch = epoch;
    this.#head = head;
  }

  /** @throws UnavailableError, StoreError `outline_corrupt` */
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

  extent(isWanted: IsWanted): Promise<StoredExtent> {
    this.#options.require();
    return this.#options.parts.extent(isWanted);
  }

  chunk(place: ChunkPlace, isWanted: IsWanted): Promise<Uint8Array | undefined> {
    this.#options.require();
    return this.#options.parts.chunk(place, isWanted);
  }

  async since(seq: Seq, isWanted: IsWanted): Promise<readonly Uint8Array[] | undefined> {
    this.#options.require();
    if (seq > this.#head) return undefined;
    if (seq === this.#head) return [];
    const range = { epoch: this.epoch, after: seq, maxBytes: PAGE_BYTES };
    return (await tailIfReadable(this.#options.parts, range, isWanted))?.updates;
  }
}

/** Undefined also when it can't be read: the snapshot may make up for it. */
export async function tailIfReadable(
  { tail }: Pick<StoredParts, "tail">,
  range: TailRange,
  isWanted: IsWanted,
): Promise<TailPage | undefined> {
  try {
    return await tail(range, isWanted);
  } catch (error) {
    if (error instanceof StoreError && error.code === "outline_corrupt") return undefined;
    throw error;
  }
}
