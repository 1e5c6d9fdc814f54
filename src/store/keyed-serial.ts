/** Runs tasks of the same key one after the other, in the order in which they came. */
export class KeyedSerial<K> {
  /** One for each key with tasks, which are those of requests. [Q23] */
  readonly #last = new Map<K, Promise<void>>();

  run<T>(key: K, task: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(key) ?? Promise.resolve();
    const result = previous.then(task);
    const settled: Promise<void> = result.then(
      () => this.#forget(key, settled),
      () => this.#forget(key, settled),
    );
    this.#last.set(key, settled);
    return result;
  }

  #forget(key: K, settled: Promise<void>): void {
    if (this.#last.get(key) === settled) this.#last.delete(key);
  }
}
