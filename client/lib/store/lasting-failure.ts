import type { StoreError, StoreFailure } from "./replica-store.ts";

/** The failure after which a store does not work any more, if there was one, and who is told of it. */
export class LastingFailure {
  #error: StoreError | undefined;
  readonly #listeners = new Set<(error: StoreError) => void>();

  /** Throws the failure, if there was one. */
  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  get code(): StoreFailure | undefined {
    return this.#error?.code;
  }

  /** The first failure counts. */
  set(error: StoreError): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    for (const listener of this.#listeners) listener(error);
  }

  /** The store has been begun anew. */
  end(): void {
    this.#error = undefined;
  }

  /** Told of each failure, at once when it has happened already. Answers how to stop. */
  onFailure(listener: (error: StoreError) => void): () => void {
    this.#listeners.add(listener);
    if (this.#error !== undefined) listener(this.#error);
    return () => this.#listeners.delete(listener);
  }
}
