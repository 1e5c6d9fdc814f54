import type { StoreError } from "./replica-store.ts";

/** The failure after which a store never works again, if there was one, and who is told of it. */
export class LastingFailure {
  #error: StoreError | undefined;
  readonly #listeners = new Set<(error: StoreError) => void>();

  /** Throws the failure, if there was one. */
  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** The first failure counts. */
  set(error: StoreError): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener(error);
  }

  /** Told once, at once when it has happened already. Answers how to stop. */
  onFailure(listener: (error: StoreError) => void): () => void {
    if (this.#error === undefined) this.#listeners.add(listener);
    else listener(this.#error);
    return () => this.#listeners.delete(listener);
  }
}
