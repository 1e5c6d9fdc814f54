import { fromBase64, toBase64 } from "lib0/buffer";
import type { LastWords } from "../last-words.ts";

/**
 * Last words in the browser's localStorage, which takes them while a page is being closed: a
 * transaction of IndexedDB is not begun any more then.
 * @param name of the store
 */
export function localStorageWords(name: string): LastWords {
  const prefix = prefixOf(name);
  return {
    keep(tab, words) {
      try {
        if (words === undefined) localStorage.removeItem(prefix + tab);
        else localStorage.setItem(prefix + tab, toBase64(words));
      } catch {
        // Storage is off or full: the status says that already.
      }
    },
    read() {
      try {
        return keysOf(name).map((key) => ({
          tab: key.slice(prefix.length),
          words: fromBase64(localStorage.getItem(key) ?? ""),
        }));
      } catch {
        return [];
      }
    },
  };
}

/** Forgets what pages had no time to store, for who signs out. */
export function forgetLastWords(name: string): void {
  try {
    for (const key of keysOf(name)) localStorage.removeItem(key);
  } catch {
    // Where storage is off, nothing was kept.
  }
}

function prefixOf(name: string): string {
  return `outline-unstored/${name}/`;
}

function keysOf(name: string): readonly string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefixOf(name)));
}
