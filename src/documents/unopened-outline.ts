import type { OutlineId } from "../core/node-key.ts";
import { StoredClocks } from "../core/stored-clocks.ts";
import { firstIdOf } from "./client-ids.ts";
import {
  type ChunkPlace,
  type ClientHolder,
  type Seq,
  type StoredExtent,
  StoreError,
  type TailPage,
  type TailRange,
} from "./outline-log.ts";
import { runInSlices } from "./slices.ts";
import type { IsWanted, StoredParts } from "./stored-reads.ts";
import type { Turn } from "./turns.ts";

/** Updates that are given out at once. */
export const PAGE_BYTES = 512 * 1024;
/** One that is longer takes too long to be looked through in one go. */
const MAX_SCANNED_BYTES = 32 * 1024;

/** What is durable of a client id. */
export interface ClientStanding {
  /** All of it holds for the log up to here. */
  readonly head: Seq;
  /** The next clock under the id. */
  readonly clock: number;
  /** Undefined when nobody has it. */
  readonly holder: ClientHolder | undefined;
  /** As in `OutlineDocument`. */
  readonly isOfEarlierHistory: boolean;
}

export interface UnopenedOptions {
  readonly id: OutlineId;
  readonly parts: StoredParts;
  /** In which the log is looked through. */
  readonly turn: Turn;
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

  /**
   * Undefined when there is too much behind the snapshot to look it through: opening the outline costs
   * little more then.
   * @throws UnavailableError, StoreError `outline_corrupt`
   */
  async standing(client: number, isWanted: IsWanted): Promise<ClientStanding | undefined> {
    const { parts, turn, require } = this.#options;
    require();
    const stored = await parts.client(client, isWanted);
    const { epoch, epochOrdinal, snapshot } = stored;
    if (epoch !== this.epoch) return undefined;
    const range = { epoch, after: snapshot?.seq ?? 0, maxBytes: PAGE_BYTES };
    const page = await tailIfReadable(parts, range, isWanted);
    if (page === undefined || range.after + page.updates.length < page.head) return undefined;
    if (page.updates.some(({ byteLength }) => byteLength > MAX_SCANNED_BYTES)) return undefined;
    return {
      head: page.head,
      clock: await runInSlices(clockOf(client, snapshot?.stateVector, page.updates), turn),
      holder: stored.holder,
      isOfEarlierHistory: client < firstIdOf(epochOrdinal),
    };
  }
}

function* clockOf(
  client: number,
  stateVector: Uint8Array | undefined,
  updates: readonly Uint8Array[],
): Generator<void, number> {
  const clocks = new StoredClocks();
  if (stateVector !== undefined) clocks.addStateVector(stateVector);
  for (const update of updates) {
    clocks.addUpdate(update);
    yield;
  }
  return clocks.ends.get(client) ?? 0;
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
