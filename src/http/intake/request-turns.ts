import { newRecentMap } from "../../charges/recent-map.ts";
import type { Payer } from "../../charges/payer.ts";
import type { Turn, Turns } from "../../documents/turns/turns.ts";

/** How long requests are answered as they come, in one turn of the event loop. */
const AT_ONCE_MS = 2;
/** What somebody may have taken of late and still be answered at once. */
const LITTLE_MS = 4;
/** Who takes less than this part of the thread's time owes nothing. */
const PAID_PART = 1 / 4;
/** Requests of one payer that wait for their turn. */
const MOST_WAITING = 1000;
const MOST_PAYERS = 20_000;

interface Account {
  readonly turn: Turn;
  /** Time that it has taken, less what is paid since. */
  owedMs: number;
  paidAt: number;
  waiting: number;
}

interface RequestTurnsOptions {
  readonly turns: Pick<Turns, "join">;
  /** Resolves when all that has arrived in this turn of the event loop is taken in. */
  readonly yieldNow: () => Promise<void>;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
}

/**
 * When requests are worked on. Whoever has taken little time of late is served as soon as the request
 * is there, as long as this turn of the event loop has time; otherwise it waits, in turn with all else
 * that is done for others. So however many connections somebody has, all of their requests together
 * hold others up no longer than one of them.
 */
export class RequestTurns {
  readonly #options: RequestTurnsOptions;
  /** Who was served of late, or waits. [Q14] */
  readonly #accounts = newRecentMap<Account>(MOST_PAYERS);
  /** All that was ever accounted, so that work within other work counts once. */
  #accountedMs = 0;
  /** The same without what was done at once in this turn of the event loop. */
  #accountedBeforeMs = 0;
  #isTurnWatched = false;

  constructor(options: RequestTurnsOptions) {
    this.#options = options;
  }

  /** Whether so much waits for a payer that nothing more may. */
  isCrowded(payer: Payer): boolean {
    return (this.#accounts.get(payer)?.waiting ?? 0) >= MOST_WAITING;
  }

  /** Does `work` at once, or in one of the payer's next turns. */
  run<T>(payer: Payer, work: () => T): T | Promise<Awaited<T>> {
    const account = this.#accountOf(payer);
    const spentMs = this.#accountedMs - this.#accountedBeforeMs;
    const isAtOnce =
      account.waiting === 0 && spentMs < AT_ONCE_MS && this.#owedMs(account) < LITTLE_MS;
    if (!isAtOnce) return this.takeTurn(payer, work);
    if (!this.#isTurnWatched) void this.#watchTurn();
    return this.#timed(account, work);
  }

  /** Does `work` in one of the payer's next turns, whatever it owes: for a part of long work. */
  async takeTurn<T>(payer: Payer, work: (turn: Pick<Turn, "isOver">) => T): Promise<Awaited<T>> {
    const account = this.#accountOf(payer);
    const { turn } = account;
    account.waiting += 1;
    return await turn.take(() => {
      account.waiting -= 1;
      const accounted = this.#accountedMs;
      try {
        return this.#timed(account, () => work(turn));
      } finally {
        // The turns bound it themselves.
        this.#accountedBeforeMs += this.#accountedMs - accounted;
      }
    });
  }

  #timed<T>(account: Account, work: () => T): T {
    const { elapsed } = this.#options;
    const accounted = this.#accountedMs;
    const startedAt = elapsed();
    try {
      return work();
    } finally {
      const ownMs = elapsed() - startedAt - (this.#accountedMs - accounted);
      this.#accountedMs += ownMs;
      account.owedMs += ownMs;
    }
  }

  #accountOf(payer: Payer): Account {
    const known = this.#accounts.get(payer);
    if (known !== undefined) return known;
    const { turns, elapsed } = this.#options;
    const account = {
      turn: turns.join(payer, "request"),
      owedMs: 0,
      paidAt: elapsed(),
      waiting: 0,
    };
    this.#accounts.set(payer, account);
    return account;
  }

  #owedMs(account: Account): number {
    const now = this.#options.elapsed();
    account.owedMs = Math.max(0, account.owedMs - (now - account.paidAt) * PAID_PART);
    account.paidAt = now;
    return account.owedMs;
  }

  async #watchTurn(): Promise<void> {
    this.#isTurnWatched = true;
    await this.#options.yieldNow();
    this.#accountedBeforeMs = this.#accountedMs;
    this.#isTurnWatched = false;
  }
}
