import { FairQueue } from "./fair-queue.ts";

/**
 * Lets so many works run at one time, of all and of each party; the others wait, the parties in turn,
 * each one's in their order.
 */
export class FairGate<Party> {
  /** One for each work that waits [Q50]. */
  readonly #waiting = new FairQueue<Party, () => void>();
  /** How many works of a party run, of those that have any [Q50]. */
  readonly #running = new Map<Party, number>();
  readonly #placesOfParty: number;
  #free: number;

  constructor(places: number, placesOfParty = places) {
    this.#free = places;
    this.#placesOfParty = placesOfParty;
  }

  /** Whether a work of a party would run at once. */
  hasPlace(party: Party): boolean {
    return this.#free > 0 && this.#mayRunMore(party);
  }

  /** Runs `work` once there is a place, and gives the place on however it ends. */
  async pass<T>(party: Party, work: () => Promise<T> | T): Promise<T> {
    if (this.hasPlace(party)) this.#take(party);
    else {
      await new Promise<void>((resolve) => {
        this.#waiting.add(party, () => {
          this.#take(party);
          resolve();
        });
      });
    }
    try {
      return await work();
    } finally {
      this.#giveOn(party);
    }
  }

  #mayRunMore(party: Party): boolean {
    return (this.#running.get(party) ?? 0) < this.#placesOfParty;
  }

  #take(party: Party): void {
    this.#free--;
    this.#running.set(party, (this.#running.get(party) ?? 0) + 1);
  }

  #giveOn(party: Party): void {
    this.#free++;
    const left = (this.#running.get(party) ?? 0) - 1;
    if (left > 0) this.#running.set(party, left);
    else this.#running.delete(party);
    this.#waiting.take((next) => this.#mayRunMore(next))?.();
  }
}
