import { LookedForDeletes } from "../../core/updates/looked-for-deletes.ts";
import { type Clocks, StoredClocks } from "../../core/yjs/stored-clocks.ts";
import { addsNothing, endsOf, lackedOf } from "../../core/yjs/stored-update.ts";
import { joinedUpdates } from "../../core/updates/joined-updates.ts";
import { countOfRun } from "../../core/yjs/merged-update.ts";
import { type ChunkPlace, missingUpdates, type Seq, type StoredExtent } from "./outline-log.ts";
import type { IsWanted } from "./stored-reads.ts";
import type { Turn } from "../turns/turns.ts";
import { runInSlices } from "../turns/slices.ts";

/** Updates that are merged, or looked at between two steps. */
const RUN = 64;
const NOTHING = new Uint8Array([0]);

/** What is read of a stored outline: see `UnopenedOutline`. */
interface StoredOutline {
  readonly head: Seq;
  extent(isWanted: IsWanted): Promise<StoredExtent>;
  chunk(place: ChunkPlace, isWanted: IsWanted): Promise<Uint8Array | undefined>;
  since(seq: Seq, isWanted: IsWanted): Promise<readonly Uint8Array[] | undefined>;
}

/** The state vector of all up to an update of the log. */
interface StateAt {
  readonly seq: Seq;
  readonly stateVector: Uint8Array;
}

/**
 * What an outline has that is not open, and what somebody else has not: found in its snapshot and in
 * the log behind it, of which a part at a time is in memory, in slices. So who comes back to an outline
 * of any size with a state vector causes none to be opened.
 */
export class StoredState {
  readonly #stored: StoredOutline;
  readonly #turn: Turn;
  /** The newest that was asked for. */
  #known: StateAt | undefined;

  constructor(stored: StoredOutline, turn: Turn) {
    this.#stored = stored;
    this.#turn = turn;
  }

  /** As Yjs encodes it; undefined when it can't be told from what is stored. */
  async stateVector(isWanted: IsWanted): Promise<Uint8Array | undefined> {
    const before =
      this.#known ?? (await this.#ofSnapshot(await this.#stored.extent(isWanted), isWanted));
    if (before === undefined) return undefined;
    const clocks = new StoredClocks();
    clocks.addStateVector(before.stateVector);
    let { seq } = before;
    while (seq < this.#stored.head) {
      const page = await this.#stored.since(seq, isWanted);
      // Trimmed, behind a newer snapshot; or damaged.
      if (page === undefined || page.length === 0) return this.#afresh(isWanted);
      await this.#inSlices(page, (update) => clocks.addUpdate(update));
      seq += page.length;
    }
    this.#known = { seq, stateVector: clocks.stateVector };
    return this.#known.stateVector;
  }

  /**
   * What a replica with this state vector lacks, as updates to be applied in this order. All of them say
   * what was there when the first one was asked for, and may have more.
   */
  async *difference(stateVector: Uint8Array, isWanted: IsWanted): AsyncGenerator<Uint8Array, void> {
    let before: StoredExtent | undefined;
    for (;;) {
      const extent = await this.#stored.extent(isWanted);
      if (before !== undefined && before.snapshot?.seq === extent.snapshot?.seq) {
        throw missingUpdates();
      }
      if (yield* this.#lackedOf(extent, stateVector, isWanted)) return;
      before = extent;
    }
  }

  /**
   * Whether an update says nothing but that was deleted what is known to be: deleted before the first
   * update that its author lacked, so that it repeats what they were sent.
   * @param had what its author had; undefined when all that is stored was sent to them
   */
  async knows(update: Uint8Array, had: Clocks | undefined, isWanted: IsWanted): Promise<boolean> {
    if (!addsNothing(update)) return false;
    const wanted = await this.#turn.take(() => LookedForDeletes.of(update));
    if (wanted === undefined || wanted.areFound) return wanted !== undefined;
    const extent = await this.#stored.extent(isWanted);
    const authors = new StoredClocks();
    if (had !== undefined) authors.addEnds(had);
    const isSeen = (ends: Clocks): boolean => had === undefined || authors.cover(ends);
    const snapshot = await this.#ofSnapshot(extent, isWanted);
    if (snapshot === undefined || !isSeen(decoded(snapshot))) return false;
    for await (const chunk of this.#deletions(extent, isWanted)) {
      await this.#turn.take(() => wanted.find(chunk));
    }
    for (let { seq } = snapshot; seq < extent.head && !wanted.areFound && !wanted.isGivenUp;) {
      const page = await this.#stored.since(seq, isWanted);
      if (page === undefined || page.length === 0) return false;
      const first = page.findIndex((each) => !isSeen(endsOf(each)));
      const seen = first === -1 ? page : page.slice(0, first);
      await this.#inSlices(seen, (each) => wanted.find(each));
      if (first !== -1) break;
      seq += page.length;
    }
    return wanted.areFound;
  }

  /** Once more, from the snapshot that is there now. */
  async #afresh(isWanted: IsWanted): Promise<Uint8Array | undefined> {
    const known = this.#known;
    this.#known = undefined;
    return known === undefined ? undefined : this.stateVector(isWanted);
  }

  /** Undefined when it is not there any more. */
  async #ofSnapshot(
    { epoch, snapshot }: StoredExtent,
    isWanted: IsWanted,
  ): Promise<StateAt | undefined> {
    if (snapshot === undefined) return { seq: 0, stateVector: NOTHING };
    const { seq } = snapshot;
    const stateVector = await this.#stored.chunk({ epoch, seq, index: "state_vector" }, isWanted);
    return stateVector === undefined ? undefined : { seq, stateVector };
  }

  /** False when the snapshot, or the log behind it, is not there any more. */
  async *#lackedOf(
    extent: StoredExtent,
    stateVector: Uint8Array,
    isWanted: IsWanted,
  ): AsyncGenerator<Uint8Array, boolean> {
    const { epoch, head, snapshot } = extent;
    const state = await this.#ofSnapshot(extent, isWanted);
    if (state === undefined) return false;
    const theirs = new StoredClocks();
    theirs.addStateVector(stateVector);
    if (theirs.cover(decoded(state))) {
      if (!(yield* this.#deletions(extent, isWanted))) return false;
    } else {
      for (let index = 0; index < (snapshot?.chunks ?? 0); index++) {
        const chunk = await this.#stored.chunk({ epoch, seq: state.seq, index }, isWanted);
        if (chunk === undefined) return false;
        const lacked = await this.#turn.take(() => lackedOf(chunk, stateVector));
        if (lacked !== undefined) yield lacked;
      }
    }
    for (let { seq } = state; seq < head;) {
      const page = await this.#stored.since(seq, isWanted);
      if (page === undefined || page.length === 0) return false;
      for (let start = 0; start < page.length;) {
        const run = page.slice(start, start + Math.min(countOfRun(page, start), RUN));
        const lacked = await this.#turn.take(() => lackedOf(joinedUpdates(run), stateVector));
        if (lacked !== undefined) yield lacked;
        start += run.length;
      }
      seq += page.length;
    }
    return true;
  }

  /**
   * The last chunks of a snapshot, which delete and do nothing else: all that is deleted in it. False
   * when it is not there any more.
   */
  async *#deletions(
    { epoch, snapshot }: StoredExtent,
    isWanted: IsWanted,
  ): AsyncGenerator<Uint8Array, boolean> {
    const { seq, chunks } = snapshot ?? { seq: 0, chunks: 0 };
    for (let index = chunks - 1; index >= 0; index--) {
      const chunk = await this.#stored.chunk({ epoch, seq, index }, isWanted);
      if (chunk === undefined) return false;
      if (!addsNothing(chunk)) break;
      yield chunk;
    }
    return true;
  }

  #inSlices(updates: readonly Uint8Array[], look: (update: Uint8Array) => void): Promise<void> {
    return runInSlices(inRuns(updates, look), this.#turn);
  }
}

function* inRuns(
  updates: readonly Uint8Array[],
  look: (update: Uint8Array) => void,
): Generator<void> {
  for (const [index, update] of updates.entries()) {
    look(update);
    if (index % RUN === RUN - 1) yield;
  }
}

function decoded({ stateVector }: StateAt): Clocks {
  const clocks = new StoredClocks();
  clocks.addStateVector(stateVector);
  return clocks.ends;
}
