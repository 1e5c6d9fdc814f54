const TICK_MS = 5;

/** How long this process could not run when it should have, in all: others had the processor. */
export class OwnLag {
  #lagMs = 0;
  #tickedAt = performance.now();

  constructor() {
    const tick = (): void => {
      this.#lagMs += this.#overdueMs;
      this.#tickedAt = performance.now();
    };
    setInterval(tick, TICK_MS).unref();
  }

  get ms(): number {
    return this.#lagMs + this.#overdueMs;
  }

  get #overdueMs(): number {
    return Math.max(0, performance.now() - this.#tickedAt - TICK_MS);
  }
}
