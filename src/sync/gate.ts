/** Lets so many pass at one time; the others wait, first come first served. */
export class Gate {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** Runs `work` once there is a place, and gives the place on however it ends. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
