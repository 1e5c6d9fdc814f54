import { networkOf } from "./network-of.ts";
import { RateLimiter } from "./rate-limiter.ts";

/** What came from one network and is not decided yet. */
interface Line {
  /** How many are counted and being looked up. */
  undecided: number;
  /** Those for which there is room only if some of these are right, in the order in which they came. [Q20] */
  readonly waiting: ((waitMs: number) => void)[];
}

/**
 * Holds back networks that guess secrets: so many wrong ones at once, then evenly spread. Each is
 * counted before it is looked up, and no longer when it was right; so of many that come at once no
 * more are looked up than may be wrong, and the others wait for these.
 */
export class Guesses {
  /** Wrong ones a minute for each network; 0 means any number. */
  readonly perMinute: number;
  /** By network. */
  readonly #guesses: RateLimiter;
  /** By network, as long as anything of it is looked up: one entry for each request. [Q20] */
  readonly #lines = new Map<string, Line>();

  /** @param now milliseconds since 1970 */
  constructor(perMinute: number, now: () => number) {
    this.perMinute = perMinute;
    this.#guesses = new RateLimiter(perMinute, now);
  }

  /**
   * Looks something up as soon as there is room for another guess.
   * @param address of the client, as far as it can be believed
   * @param look answers, and whether it was a guess; what it throws is none
   * @returns the answer, or the milliseconds until there may be room
   */
  async take<T>(
    address: string,
    look: () => Promise<{ readonly answer: T; readonly isGuess: boolean }>,
  ): Promise<{ readonly answer: T } | { readonly waitMs: number }> {
    if (this.perMinute === 0) return look();
    const network = networkOf(address);
    const waitMs = await this.#count(network);
    if (waitMs > 0) return { waitMs };
    let isGuess = false;
    try {
      const looked = await look();
      ({ isGuess } = looked);
      return looked;
    } finally {
      this.#decided(network, isGuess);
    }
  }

  /** Counts a guess as soon as there is room: 0, or the milliseconds until there may be. */
  #count(network: string): number | Promise<number> {
    const line = this.#lines.get(network);
    if (line !== undefined && line.waiting.length > 0) return waitIn(line);
    const waitMs = this.#guesses.take(network);
    if (waitMs > 0) return line === undefined ? waitMs : waitIn(line);
    if (line === undefined) this.#lines.set(network, { undecided: 1, waiting: [] });
    else line.undecided++;
    return 0;
  }

  #decided(network: string, isGuess: boolean): void {
    const line = this.#lines.get(network);
    if (line === undefined) return;
    if (!isGuess) this.#guesses.giveBack(network);
    line.undecided--;
    while (line.waiting.length > 0) {
      const waitMs = this.#guesses.take(network);
      // Those that are undecided may still turn out to be right.
      if (waitMs > 0 && line.undecided > 0) break;
      line.waiting.shift()?.(waitMs);
      if (waitMs === 0) line.undecided++;
    }
    if (line.undecided === 0) this.#lines.delete(network);
  }
}

function waitIn({ waiting }: Line): Promise<number> {
  return new Promise((resolve) => waiting.push(resolve));
}
