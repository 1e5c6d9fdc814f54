import * as Y from "yjs";
import type { OwnEdit } from "./outbox.ts";

/**
 * A place that takes a few bytes at once, for a program that is about to end: stores answer later
 * than that. It holds them until they are in the store.
 */
export interface LastWords {
  /** Holds the bytes of a tab in place of those it held; undefined: none. Never throws. */
  keep(tab: string, words: Uint8Array | undefined): void;
  /** What is held, of all tabs of the store. */
  read(): readonly { readonly tab: string; readonly words: Uint8Array }[];
}

/** Keeps what a tab has not stored when it may end, and brings it back in the next. */
export class UnstoredKeeper {
  readonly #place: LastWords | undefined;
  readonly #tab: string;
  #isKeeping = false;

  constructor(place: LastWords | undefined, tab: string) {
    this.#place = place;
    this.#tab = tab;
  }

  /** The program may end without further notice. */
  keep(unstored: readonly OwnEdit[]): void {
    if (unstored.length === 0) return this.release(unstored);
    this.#isKeeping = true;
    this.#place?.keep(this.#tab, Y.mergeUpdates(unstored.map(({ update }) => update)));
  }

  /** It lives on, and so much is not stored now. */
  release(unstored: readonly OwnEdit[]): void {
    if (!this.#isKeeping || unstored.length > 0) return;
    this.#isKeeping = false;
    this.#place?.keep(this.#tab, undefined);
  }

  /**
   * Hands over what other tabs have kept: most are gone, and of one that lives it does no harm.
   * @param take answers when it is in the store
   */
  bringBack(take: (update: Uint8Array) => Promise<void>): void {
    const place = this.#place;
    for (const { tab, words } of place?.read() ?? []) {
      if (tab === this.#tab) continue;
      const forget = (): void => place?.keep(tab, undefined);
      // Not stored: it stays where it is, for the next time.
      take(words).then(forget, () => undefined);
    }
  }
}
