import type { DisconnectedError } from "./disconnected-error.ts";

interface Wait {
  /** The edits that are waited for. */
  readonly tokens: Set<string>;
  readonly resolve: () => void;
  readonly reject: (error: DisconnectedError) => void;
}

/** Who waits until the server has certain edits. */
export class SavedWaits {
  #waits: Wait[] = [];

  /** Resolves when all the edits have been settled; at once when there are none. */
  on(tokens: readonly string[]): Promise<void> {
    if (tokens.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waits.push({ tokens: new Set(tokens), resolve, reject });
    });
  }

  settled(tokens: Iterable<string>): void {
    for (const token of tokens) for (const wait of this.#waits) wait.tokens.delete(token);
    const over = this.#waits.filter((wait) => wait.tokens.size === 0);
    this.#waits = this.#waits.filter((wait) => wait.tokens.size > 0);
    for (const { resolve } of over) resolve();
  }

  /** Edits are in others now, or nothing was left of them. */
  replaced(tokens: readonly string[], by: readonly string[]): void {
    const replaced = new Set(tokens);
    for (const wait of this.#waits) {
      const isAffected = [...wait.tokens].some((token) => replaced.has(token));
      if (isAffected) for (const token of by) wait.tokens.add(token);
    }
    // One that is all that there was is the same edit.
    for (const token of by) replaced.delete(token);
    this.settled(replaced);
  }

  failed(error: DisconnectedError): void {
    const waits = this.#waits;
    this.#waits = [];
    for (const { reject } of waits) reject(error);
  }
}
