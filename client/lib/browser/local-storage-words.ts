import { fromBase64, toBase64 } from "lib0/buffer";
import type { LastWords } from "../last-words.ts";

/**
 * Last words in the browser's localStorage, which takes them while a page is being closed: a
 * transaction of IndexedDB is not begun any more then.
 * @param name of the store
 */
export function localStorageWords(name: string): LastWords {
  const prefix = `outline-unstored/${name}/`;
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
        const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
        return keys.map((key) => ({
          tab: key.slice(prefix.length),
          words: fromBase64(localStorage.getItem(key) ?? ""),
        }));
      } catch {
        return [];
      }
    },
  };
}
