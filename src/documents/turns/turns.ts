import type { Payer } from "../../charges/payer.ts";
import { UNWATCHED, type Watch } from "../../charges/watchdog.ts";
import { FairQueue } from "./fair-queue.ts";
import type { Timers } from "./timers.ts";

/** How long all that can wait takes together before others get their turn of the event loop. */
const TURN_MS = 4;

/** What one of very many gets at least: a few small updates. */
const SHARE_MS = 1;

/** Work that takes longer at once is followed by a rest. */
const LONG_MS = 4 * TURN_MS;

/** What others have of the time, for each part that goes into long work. */
const REST = 2;

/** Nobody rests for others who have had nothing to do for so long. */
const ALONE_MS = 100;

/** So much of a rest is over with each turn of the event loop, on a clock that stands. */
const LEAST_PAID_MS = 0.05;

/** One party's part in the turns of the event loop. */
export interface Turn {
  /**
   * Does `work` in one of the next turns, the party's works in their order. Rejects with what `work`
   * throws.
   * @param fixedMs what it takes however little it does, most of it when it ends: its share is as long
   *   at least, so that half of its time goes into what it is for
   * @param size what it is done with, for whoever looks for what took long
   */
  take<T>(work: () => T, fixedMs?: number, size?: () => number): Promise<T>;
  /** Does `work` at once, outside all turns: for what is short. Only who looks for what took long knows. */
  now<T>(work: () => T): T;
  /** For how many milliseconds such work of the payer is refused, because it took too long; mostly 0. */
  readonly refusedMs: number;
  /** Within `work`: whether it should end, and go on in another turn. */
  readonly isOver: boolean;
}

type TurnTimers = Pick<Timers, "yieldNow" | "rest">;

interface Work {
  readonly run: () => void;
  readonly leastMs: number;
}

/**
 * Shares each turn of the event loop between the parties that have work: in turn, as long as there
 * is time, and the next time those go first that had to wait. So a turn is short however much there
 * is to do, and a party with little to do waits for a share of each other one, and not until those
 * with much to do have done it.
 *
 * Some work can't be cut into short pieces: a transaction where tens of thousands of clients have
 * written. What others have to do takes several turns, each of which would be as long. So long work
 * makes a debt of twice the time that it took; until that has passed, those whose work takes long rest.
 * All of them together have a third of the time at most while others do something now and then: what
 * these do has several parts, which wait for the disk in between, and each of which would wait for long
 * work again.
 */
export class Turns {
  readonly #timers: TurnTimers;
  readonly #elapsed: () => number;
  readonly #watch: Watch;
  /** What each who waits is to answer for: a request, an update of a connection, a part of long work [Q40]. */
  readonly #waiting = new FairQueue<Payer, Work>();
  /** Those whose last work took long, until others have had as much [Q40]. */
  readonly #slow = new Set<Payer>();
  #shareEndsAt = 0;
  #debtMs = 0;
  #paidUntil = 0;
  /** Time without long work since somebody had a turn whose work is short. */
  #aloneMs = 0;
  #isScheduled = false;

  /** @param elapsed milliseconds of a clock that nobody sets */
  constructor(timers: TurnTimers, elapsed: () => number, watch = UNWATCHED) {
    this.#timers = timers;
    this.#elapsed = elapsed;
    this.#watch = watch;
  }

  /**
   * A payer's part: all that join for one have one part, whatever they do.
   * @param kind what is done in it, for who looks for what took long
   */
  join(payer: Payer, kind: string): Turn {
    const watch = this.#watch;
    const isOver = (): boolean => this.#elapsed() >= this.#shareEndsAt;
    return {
      take: (work, fixedMs = 0, size = nothing) =>
        this.#take(payer, () => watch.run(payer, kind, size, work), Math.max(SHARE_MS, fixedMs)),
      now: (work) => watch.run(payer, kind, nothing, work),
      get isOver() {
        return isOver();
      },
      get refusedMs() {
        return watch.refusedMs(payer, kind);
      },
    };
  }

  #take<T>(party: Payer, work: () => T, leastMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = (): void => {
        const startedAt = this.#elapsed();
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
        this.#account(party, startedAt);
      };
      this.#waiting.add(party, { run, leastMs });
      if (!this.#isScheduled) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isScheduled = true;
    let isResting = false;
    while (!this.#waiting.isEmpty) {
      await ((isResting && this.#timers.rest?.()) || this.#timers.yieldNow());
      isResting = !this.#runTurn();
    }
    if (this.#debtMs === 0) this.#slow.clear();
    this.#isScheduled = false;
  }

  /**
   * Runs one work at least, unless all who wait rest. What is asked for meanwhile is for a later turn.
   * @returns false when all rest
   */
  #runTurn(): boolean {
    const startedAt = this.#elapsed();
    this.#pay(startedAt);
    const endsAt = startedAt + TURN_MS;
    let now = startedAt;
    let hasRun = false;
    for (let left = this.#waiting.size; left > 0 && now < endsAt; left--) {
      const next = this.#waiting.take((party) => this.#debtMs === 0 || !this.#slow.has(party));
      if (next === undefined) return hasRun;
      this.#shareEndsAt = now + Math.max(next.leastMs, (endsAt - now) / left);
      next.run();
      hasRun = true;
      now = this.#elapsed();
    }
    return hasRun;
  }

  #account(party: Payer, startedAt: number): void {
    const endedAt = this.#elapsed();
    const tookMs = endedAt - startedAt;
    if (tookMs <= LONG_MS) {
      this.#slow.delete(party);
      this.#aloneMs = 0;
      return;
    }
    this.#slow.add(party);
    this.#debtMs += REST * tookMs;
    this.#paidUntil = endedAt;
  }

  #pay(now: number): void {
    const paidMs = Math.max(LEAST_PAID_MS, now - this.#paidUntil);
    this.#aloneMs += paidMs;
    this.#debtMs = this.#aloneMs > ALONE_MS ? 0 : Math.max(0, this.#debtMs - paidMs);
    this.#paidUntil = now;
  }
}

function nothing(): number {
  return 0;
}
