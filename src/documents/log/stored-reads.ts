import { LRUCache } from "lru-cache";
import type { OutlineId } from "../../core/node-key.ts";
import type { DocumentLimits } from "../document-limits.ts";
import { FairGate } from "../turns/fair-gate.ts";
import type { ChunkPlace, OutlineLog, StoredExtent, TailPage, TailRange } from "./outline-log.ts";
import type { StoreHealth } from "./store-health.ts";
import { NotWantedError } from "./unavailable-error.ts";

export interface StoredReadsOptions {
  readonly log: OutlineLog;
  readonly health: StoreHealth;
  readonly limits: Pick<DocumentLimits, "loadTimeoutMs" | "readsAtOnce" | "keptChunkBytes">;
  /** So much is kept now. */
  readonly onKept: (bytes: number) => void;
}

/** Whether somebody still waits for an answer; who does not say so always does. */
export type IsWanted = () => boolean;

const ALWAYS: IsWanted = () => true;

interface Part {
  readonly outline: OutlineId;
  readonly name: string;
  readonly isWanted: IsWanted;
  /** Whether the answer is the same at any time. */
  readonly isFixed?: true;
}

interface SharedRead {
  readonly answer: Promise<unknown>;
  /** Whether it may lack what has become durable since. */
  hasBegun: boolean;
  /** [Q50] */
  readonly askers: IsWanted[];
}

/** What `StoredReads` reads, of one outline. @throws UnavailableError, StoreError `outline_corrupt` */
export interface StoredParts {
  readonly extent: (isWanted?: IsWanted) => Promise<StoredExtent>;
  readonly hasDevices: (isWanted?: IsWanted) => Promise<boolean>;
  readonly chunk: (place: ChunkPlace, isWanted?: IsWanted) => Promise<Uint8Array | undefined>;
  readonly tail: (range: TailRange, isWanted?: IsWanted) => Promise<TailPage | undefined>;
}

/**
 * Reads parts of stored outlines, for clients that lack them. A few at a time, the outlines in turn;
 * each part once for all who ask for it meanwhile; none that nobody waits for any more. What may change
 * is read once for all who ask before that begins: whoever asks later may know of more.
 */
export class StoredReads {
  readonly #options: StoredReadsOptions;
  readonly #gate: FairGate<OutlineId>;
  /** One for each part that somebody waits for [Q50]. */
  readonly #underWay = new Map<string, SharedRead>();
  /** By outline and place [Q51]. */
  readonly #chunks: LRUCache<string, Uint8Array>;

  constructor(options: StoredReadsOptions) {
    this.#options = options;
    this.#gate = new FairGate(options.limits.readsAtOnce);
    this.#chunks = new LRUCache({
      maxSize: options.limits.keptChunkBytes,
      sizeCalculation: ({ byteLength }) => Math.max(1, byteLength),
    });
  }

  /** Lets go of the chunks that are kept. */
  forgetChunks(): void {
    this.#chunks.clear();
    this.#tellKept();
  }

  /** The parts of one outline. */
  of(outline: OutlineId): StoredParts {
    const { log } = this.#options;
    return {
      extent: (isWanted = ALWAYS) =>
        this.#read({ outline, name: "extent", isWanted }, () => log.extent(outline)),
      hasDevices: (isWanted = ALWAYS) =>
        this.#read({ outline, name: "devices", isWanted }, () => log.hasDevices(outline)),
      chunk: (place, isWanted = ALWAYS) => this.#chunk(outline, place, isWanted),
      tail: (range, isWanted = ALWAYS) => {
        const name = `tail ${range.epoch} ${range.after} ${range.maxBytes}`;
        return this.#read({ outline, name, isWanted }, () => log.tail(outline, range));
      },
    };
  }

  async #chunk(
    outline: OutlineId,
    place: ChunkPlace,
    isWanted: IsWanted,
  ): Promise<Uint8Array | undefined> {
    const name = `chunk ${place.epoch} ${place.seq} ${place.index}`;
    const kept = this.#chunks.get(`${outline} ${name}`);
    if (kept !== undefined) return kept;
    const { log } = this.#options;
    const part: Part = { outline, name, isWanted, isFixed: true };
    const chunk = await this.#read(part, () => log.chunk(outline, place));
    if (chunk === undefined) return undefined;
    this.#chunks.set(`${outline} ${name}`, chunk);
    this.#tellKept();
    return chunk;
  }

  #tellKept(): void {
    this.#options.onKept(this.#chunks.calculatedSize);
  }

  #read<T>(part: Part, call: () => Promise<T>): Promise<T> {
    const { outline, isWanted, isFixed = false } = part;
    const name = `${outline} ${part.name}`;
    const underWay = this.#underWay.get(name);
    if (underWay !== undefined && (isFixed || !underWay.hasBegun)) {
      underWay.askers.push(isWanted);
      return underWay.answer as Promise<T>;
    }
    const { health, limits } = this.#options;
    const askers = [isWanted];
    const forget = (): void => {
      if (this.#underWay.get(name) === read) this.#underWay.delete(name);
    };
    const begin = async (): Promise<T> => {
      health.require();
      read.hasBegun = true;
      if (!askers.some((isAsking) => isAsking())) {
        // At once: who comes from now on has a read of their own.
        forget();
        throw new NotWantedError();
      }
      return health.attempt(call, limits.loadTimeoutMs);
    };
    // One at a time: all who come meanwhile have the next one together.
    const before = Promise.resolve(underWay?.answer).catch(() => undefined);
    const answer = before.then(() => this.#gate.pass(outline, begin)).finally(forget);
    const read: SharedRead = { answer, askers, hasBegun: false };
    this.#underWay.set(name, read);
    return answer;
  }
}
