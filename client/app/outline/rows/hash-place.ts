import { isNodeKey, type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import { hrefOfNode } from "../../../../src/core/text/node-link.ts";
import type { Place } from "./place.ts";

/** Browsers refuse an address that changes with each letter of somebody who types. */
const REST_MS = 400;

/** The address of a node within the app: `#/<key>`, home is `#/`. A search stands behind it: `?q=`. */
export function hashOfKey(key: NodeKey, query = ""): string {
  return query === ""
    ? hrefOfNode(key)
    : `${hrefOfNode(key)}?${new URLSearchParams({ q: query }).toString()}`;
}

/** The node that a hash names; `ROOT` for every other hash. */
export function keyOfHash(hash: string): NodeKey {
  const text = hash.replace(/^#\/?/, "").replace(/\?.*$/s, "").toLowerCase();
  return isNodeKey(text) ? text : ROOT;
}

/** The search in a hash; empty when there is none. */
export function queryOfHash(hash: string): string {
  const at = hash.indexOf("?");
  return at < 0 ? "" : (new URLSearchParams(hash.slice(at)).get("q") ?? "");
}

/** Zoom and search in the hash of the page's address. */
export class HashPlace implements Place {
  readonly #window: Window;
  /** What the address is to be when the person rests. */
  #wished: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(window: Window) {
    this.#window = window;
    window.addEventListener("pagehide", () => this.#write());
  }

  read(): NodeKey {
    return keyOfHash(this.#hash());
  }

  query(): string {
    return queryOfHash(this.#hash());
  }

  go(key: NodeKey, replaces: boolean, query = ""): void {
    if (key === this.read() && query === this.query()) return;
    const hash = hashOfKey(key, query);
    if (replaces) {
      this.#wished = hash;
      clearTimeout(this.#timer);
      if (query === "") this.#write();
      else this.#timer = setTimeout(() => this.#write(), REST_MS);
      return;
    }
    this.#write();
    this.#window.history.pushState(null, "", hash);
  }

  onChange(listener: () => void): () => void {
    const follow = (): void => {
      // The person is elsewhere: what was wished was for another entry of the history.
      this.#forget();
      listener();
    };
    this.#window.addEventListener("popstate", follow);
    return () => this.#window.removeEventListener("popstate", follow);
  }

  #hash(): string {
    return this.#wished ?? this.#window.location.hash;
  }

  #write(): void {
    const hash = this.#wished;
    this.#forget();
    const { history } = this.#window;
    // It is the same entry, and keeps its name.
    if (hash !== undefined) history.replaceState(history.state, "", hash);
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#wished = undefined;
  }
}
