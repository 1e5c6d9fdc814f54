import { setTimeout as delay } from "node:timers/promises";
import type { OutlineId } from "../core/node-key.ts";

/** The outlines that this process has, of several processes. */
export interface OwnedOutlines {
  /** How many of those that are in use another process should have in this one's place. */
  readonly excess: number;
  /** Those that it has and was not asked for within a time, longest ago first. */
  notAskedFor(ms: number): Iterable<OutlineId>;
  /** The number of the process that is to have an outline of which there is an excess here. */
  nextOwnerOf(outline: OutlineId): number | undefined;
  /**
   * Gives outlines back.
   * @param letGo sees to it that nothing of an outline is in memory
   * @param to the process that is to have them; else whoever is asked for them next
   * @throws StoreError
   */
  release(
    outlines: readonly OutlineId[],
    letGo: (outline: OutlineId) => Promise<void>,
    to?: number,
  ): Promise<void>;
}

/** What is in memory of them. */
export interface OutlinesInHand {
  readonly isFull: boolean;
  isInHand(outline: OutlineId): boolean;
  isBusy(outline: OutlineId): boolean;
  handOver(outline: OutlineId): Promise<void>;
}

const STEP_MS = 1000;
/** Looking at all of them costs some milliseconds of 60,000. */
const STEPS_BETWEEN_LOOKS = 10;
/** What nobody has asked for so long, and nobody follows, is anybody's. */
const COLD_MS = 60_000;
/** The same where there is no memory for others. */
const COLD_WHEN_FULL_MS = 1000;
/** In one statement, which locks as many rows. */
const MOST_COLD = 1000;
/** Of those in use in one step: whoever gets them has to load them, and clients to come back. */
const MOST_MOVED = 10;
/** In which a process that ends gives away what it has. */
const PARTS = 20;

/**
 * Gives outlines away. Of those that nobody uses, in one statement for many, so that the process that
 * is asked for one next has it at once, and need not pass requests on for ever: a balancer that sends a
 * user's requests to one process, or to another one since processes came or went, is followed by
 * itself. Of those in use when another process has much less to do: a few a second, those that were not
 * asked for longest first, so that a new process gets its share without being run over.
 */
export class Balance {
  readonly #owned: OwnedOutlines;
  readonly #inHand: OutlinesInHand;
  #timer: NodeJS.Timeout | undefined;
  #steps = 0;
  #isClosed = false;

  constructor(owned: OwnedOutlines, inHand: OutlinesInHand) {
    this.#owned = owned;
    this.#inHand = inHand;
  }

  begin(): void {
    this.#stepLater();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Looks once. Never rejects: what the store refuses is tried again. */
  async step(): Promise<void> {
    const { isFull } = this.#inHand;
    if (isFull || this.#steps % STEPS_BETWEEN_LOOKS === 0) {
      await this.#release(this.#cold(isFull ? COLD_WHEN_FULL_MS : COLD_MS));
    }
    this.#steps += 1;
    const { excess } = this.#owned;
    if (excess > 0) await this.#moveSome(Math.min(excess, MOST_MOVED));
  }

  /**
   * Gives all away that are in use, spread evenly over a time: their clients come back to whoever has
   * them next. What is busy is looked at again, and stays when it never rests; so does what no other
   * process can have.
   */
  async moveAll(ms: number): Promise<void> {
    this.close();
    const left = new Set(this.#inUse());
    const moves: Promise<void>[] = [];
    for (let parts = PARTS; parts > 0 && left.size > 0; parts -= 1) {
      const count = Math.ceil(left.size / parts);
      const byNext = new Map<number, OutlineId[]>();
      let taken = 0;
      for (const outline of left) {
        if (taken === count) break;
        if (this.#inHand.isBusy(outline)) continue;
        left.delete(outline);
        taken += 1;
        const to = this.#owned.nextOwnerOf(outline);
        if (to !== undefined) byNext.set(to, [...(byNext.get(to) ?? []), outline]);
      }
      for (const [to, outlines] of byNext) moves.push(this.#release(outlines, to));
      await delay(ms / PARTS);
    }
    await Promise.all(moves);
  }

  async #moveSome(count: number): Promise<void> {
    let moved = 0;
    for (const outline of this.#inUse()) {
      if (moved === count) return;
      if (!this.#inHand.isBusy(outline) && (await this.#move(outline))) moved += 1;
    }
  }

  #inUse(): readonly OutlineId[] {
    return [...this.#owned.notAskedFor(0)].filter((outline) => this.#inHand.isInHand(outline));
  }

  /** @returns whether another process is to have it */
  async #move(outline: OutlineId): Promise<boolean> {
    const to = this.#owned.nextOwnerOf(outline);
    if (to === undefined) return false;
    await this.#release([outline], to);
    return true;
  }

  #cold(ms: number): readonly OutlineId[] {
    const cold: OutlineId[] = [];
    for (const outline of this.#owned.notAskedFor(ms)) {
      if (cold.length === MOST_COLD) break;
      if (!this.#inHand.isInHand(outline)) cold.push(outline);
    }
    return cold;
  }

  async #release(outlines: readonly OutlineId[], to?: number): Promise<void> {
    if (outlines.length === 0) return;
    const letGo = (outline: OutlineId): Promise<void> => this.#inHand.handOver(outline);
    await this.#owned.release(outlines, letGo, to).catch(() => undefined);
  }

  #stepLater(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.step().then(() => this.#stepLater()), STEP_MS);
    this.#timer.unref();
  }
}
