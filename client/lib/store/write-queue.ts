/**
 * Does writes one after the other. When one fails, those that wait behind it fail with the same
 * error: a later write may build on an earlier one, and must not become durable without it.
 */
export class WriteQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(write: () => Promise<T>): Promise<T> {
    const done = this.#last.then(write);
    this.#last = done;
    done.catch(() => {
      // Who comes after everybody has heard of it begins anew.
      if (this.#last === done) this.#last = Promise.resolve();
    });
    return done;
  }

  /** Resolves when all writes that were begun have ended. */
  async idle(): Promise<void> {
    await this.#last.catch(() => undefined);
  }
}
