/** A value that changes, for whoever shows it. */
export interface Source<T> {
  get(): T;
  /** Called after each change. Answers how to stop. */
  subscribe(listener: () => void): () => void;
}

/** A source with a value of its own. Setting the value it has tells nobody. */
export class Cell<T> implements Source<T> {
  readonly #listeners = new Set<() => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of Array.from(this.#listeners)) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
