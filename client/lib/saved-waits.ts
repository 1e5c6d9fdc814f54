import type { NotSavedError } from "./not-saved-error.ts";

interface Wait {
  /** The edits that are waited for. */
  readonly tokens: Set<string>;
  readonly resolve: () => void;
  readonly reject: (error: NotSavedError) => void;
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
    this.#end(({ tokens: left }) => left.size === 0);
  }

  /** The edits that are waited for are all in another one now. */
  replaced(token: string | undefined): void {
    for (const { tokens } of this.#waits) {
      tokens.clear();
      if (token !== undefined) tokens.add(token);
    }
    this.#end(({ tokens }) => tokens.size === 0);
  }

  failed(error: NotSavedError): void {
    const waits = this.#waits;
    this.#waits = [];
    for (const { reject } of waits) reject(error);
  }

  #end(isOver: (wait: Wait) => boolean): void {
    const over = this.#waits.filter(isOver);
    this.#waits = this.#waits.filter((wait) => !isOver(wait));
    for (const { resolve } of over) resolve();
  }
}
