import { fromBase64, toBase64 } from "lib0/buffer";
import type { LastWords } from "../last-words.ts";

/**
 * Last words in the browser's localStorage, which takes them while a page is being closed: a
 * transaction of IndexedDB is not begun any more then.
 * @param store its name
 */
export function localStorageWords(store: string): LastWords {
  const prefix = prefixOf(store);
  return {
    keep(name, words) {
      try {
        localStorage.setItem(prefix + name, toBase64(words));
        return true;
      } catch {
        // Storage is off or full: the status says that already.
        return false;
      }
    },
    forget(name) {
      try {
        localStorage.removeItem(prefix + name);
      } catch {
        // Storage is off, and nothing was kept.
      }
    },
    read() {
      try {
        return keysOf(store).map((key) => ({
          name: key.slice(prefix.length),
          words: fromBase64(localStorage.getItem(key) ?? ""),
        }));
      } catch {
        return [];
      }
    },
  };
}

/** Forgets what pages had no time to store, for who signs out. */
export function forgetLastWords(store: string): void {
  try {
    for (const key of keysOf(store)) localStorage.removeItem(key);
  } catch {
    // Where storage is off, nothing was kept.
  }
}

function prefixOf(store: string): string {
  return `outline-unstored/${store}/`;
}

function keysOf(store: string): readonly string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefixOf(store)));
}
