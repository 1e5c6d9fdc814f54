import { isNodeKey, type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { hrefOfNode } from "../../../src/core/text/node-link.ts";
import type { Place } from "./place.ts";

/** The address of a node within the app: `#/<key>`, home is `#/`. */
export function hashOfKey(key: NodeKey): string {
  return hrefOfNode(key);
}

/** The node that a hash names; `ROOT` for every other hash. */
export function keyOfHash(hash: string): NodeKey {
  const text = hash.replace(/^#\/?/, "").toLowerCase();
  return isNodeKey(text) ? text : ROOT;
}

/** The zoom in the hash of the page's address. */
export class HashPlace implements Place {
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
  }

  read(): NodeKey {
    return keyOfHash(this.#window.location.hash);
  }

  go(key: NodeKey, replaces: boolean): void {
    if (key === this.read()) return;
    const { history } = this.#window;
    if (replaces) history.replaceState(null, "", hashOfKey(key));
    else history.pushState(null, "", hashOfKey(key));
  }

  onChange(listener: () => void): () => void {
    this.#window.addEventListener("popstate", listener);
    return () => this.#window.removeEventListener("popstate", listener);
  }
}
