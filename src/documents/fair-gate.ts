import { FairQueue } from "./fair-queue.ts";

/** Lets so many works run at one time; the others wait, the parties in turn, each one's in their order. */
export class FairGate<Party> {
  /** One for each work that waits [Q50]. */
  readonly #waiting = new FairQueue<Party, () => void>();
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** Runs `work` once there is a place, and gives the place on however it ends. */
  async pass<T>(party: Party, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.add(party, resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.take();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
