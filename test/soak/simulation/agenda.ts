import type { Random } from "../../../src/core/node-key.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const BEGINNING = Date.UTC(2026, 10, 20, 8);

interface Due {
  readonly at: number;
  readonly order: number;
  /** Undefined once it was called off. */
  callback: (() => void) | undefined;
}

/** The event loop's own, whatever happens to the global one. */
const endOfTurn = setImmediate;

/**
 * All that happens in a simulated world, in one queue: by time, then in the order in which it was
 * put there. After each event everything that the product does by promises alone comes to its rest
 * before the next one begins, so that nothing but the seed decides what comes before what.
 */
export class Agenda {
  readonly random: Random;
  /** How many things happened. */
  events = 0;
  #elapsed = 0;
  #asleep = 0;
  #order = 0;
  #digest = 0x811c9dc5;
  /** A binary heap. */
  readonly #queue: Due[] = [];

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** Milliseconds of a clock that nobody sets and that stands still while all sleep. */
  readonly elapsed = (): number => this.#elapsed;

  /** Unix milliseconds. */
  readonly now = (): number => BEGINNING + this.#elapsed + this.#asleep;

  /** Stands for everything that has happened so far and was noted. */
  get digest(): string {
    return (this.#digest >>> 0).toString(16);
  }

  /** Random numbers for one part of the world, so that parts do not change each other's. */
  fork(): Random {
    return seededRandom(Math.floor(this.random() * 2 ** 32));
  }

  /** Calls back in so many milliseconds, unless the answer is called before. */
  after(ms: number, callback: () => void): () => void {
    const at = this.#elapsed + Math.max(0, Math.ceil(ms));
    const due: Due = { at, order: this.#order++, callback };
    this.#queue.push(due);
    this.#rise(this.#queue.length - 1);
    return () => {
      due.callback = undefined;
    };
  }

  /** Days pass in which nobody does anything: clocks on the wall go on, timers do not. */
  sleep(ms: number): void {
    this.#asleep += ms;
  }

  /** Something worth comparing with another run of the same seed. */
  note(what: Uint8Array | string): void {
    let digest = this.#digest;
    if (typeof what === "string") {
      for (let at = 0; at < what.length; at++) {
        digest = Math.imul(digest ^ what.charCodeAt(at), 0x01000193);
      }
    } else for (const byte of what) digest = Math.imul(digest ^ byte, 0x01000193);
    this.#digest = Math.imul(digest ^ this.#elapsed, 0x01000193);
  }

  /** Lets things happen until `isDone`, which is asked after each; false when `mostMs` pass before. */
  async run(isDone: () => boolean, mostMs = Infinity): Promise<boolean> {
    const end = this.#elapsed + mostMs;
    await atRest();
    while (!isDone()) {
      const due = this.#take();
      if (due === undefined || due.at > end) return false;
      if (due.callback === undefined) continue;
      this.#elapsed = due.at;
      this.events++;
      due.callback();
      await atRest();
    }
    return true;
  }

  #take(): Due | undefined {
    const first = this.#queue[0];
    const last = this.#queue.pop();
    if (first === undefined || last === undefined || first === last) return first;
    this.#queue[0] = last;
    this.#sink();
    return first;
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const above = (at - 1) >> 1;
      if (!this.#swapUnlessBefore(above, at)) return;
      at = above;
    }
  }

  #sink(): void {
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const least = right < this.#queue.length && this.#isBefore(right, left) ? right : left;
      if (least >= this.#queue.length || !this.#swapUnlessBefore(at, least)) return;
      at = least;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#queue[one], this.#queue[other]];
    if (a === undefined || b === undefined) return false;
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #swapUnlessBefore(above: number, below: number): boolean {
    if (this.#isBefore(above, below)) return false;
    const [a, b] = [this.#queue[above], this.#queue[below]];
    if (a === undefined || b === undefined) return false;
    this.#queue[above] = b;
    this.#queue[below] = a;
    return true;
  }
}

/** A whole turn of the event loop: before its end all promises that can be settled are. */
function atRest(): Promise<void> {
  return new Promise((resolve) => endOfTurn(resolve));
}
