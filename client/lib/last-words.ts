import { mergedUpdate } from "../../src/core/yjs/merged-update.ts";
import { type OwnEdit, updatesOf } from "./outbox.ts";

/**
 * A place that takes a few bytes at once, for a program that is about to end: stores answer later
 * than that. It holds them until they are in the store.
 */
export interface LastWords {
  /** Holds the bytes under a name. Answers whether there was room for them. Never throws. */
  keep(name: string, words: Uint8Array): boolean;
  /** Never throws. */
  forget(name: string): void;
  /** What is held, of all tabs of the store. */
  read(): readonly { readonly name: string; readonly words: Uint8Array }[];
}

/** Keeps what a tab has not stored when it may end, and brings it back in the next. */
export class UnstoredKeeper {
  readonly #place: LastWords | undefined;
  readonly #tab: string;
  /** Each time under another name: who brings some back forgets those, and none that came later. */
  #name: string | undefined;
  #count = 0;

  constructor(place: LastWords | undefined, tab: string) {
    this.#place = place;
    this.#tab = tab;
  }

  /** The program may end without further notice. */
  keep(unstored: readonly OwnEdit[]): void {
    if (unstored.length === 0) return this.release(unstored);
    this.#count += 1;
    const name = `${this.#tab}.${this.#count}`;
    const words = mergedUpdate(updatesOf(unstored));
    if (this.#place?.keep(name, words) !== true) return;
    if (this.#name !== undefined) this.#place.forget(this.#name);
    this.#name = name;
  }

  /** It lives on, and so much is not stored now. */
  release(unstored: readonly OwnEdit[]): void {
    if (this.#name === undefined || unstored.length > 0) return;
    this.#place?.forget(this.#name);
    this.#name = undefined;
  }

  /**
   * Hands over what other tabs have kept: most are gone, and of one that lives it does no harm.
   * @param take answers when it is in the store
   */
  bringBack(take: (update: Uint8Array) => Promise<void>): void {
    const place = this.#place;
    for (const { name, words } of place?.read() ?? []) {
      if (name === this.#name) continue;
      const forget = (): void => place?.forget(name);
      // Not stored: it stays where it is, for the next time.
      take(words).then(forget, () => undefined);
    }
  }
}
