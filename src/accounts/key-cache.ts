import { newRecentMap } from "../charges/recent-map.ts";

export interface CachedKey<T> {
  readonly value: T;
  /** Unix seconds of the last use that was written down. */
  usedAt: number | undefined;
}

const MAX_KNOWN = 20_000;
const MAX_UNKNOWN = 10_000;

/**
 * What is known of keys, by hash. Unknown keys are remembered apart from known ones, so that a
 * flood of wrong keys can't push out the right ones. One load at a time for each hash, and what a
 * load found is dropped when the hash was forgotten meanwhile: a revoked key never comes back.
 */
export class KeyCache<T> {
  readonly #load: (hash: string) => Promise<CachedKey<T> | undefined>;
  /** Those that were not used for longest make room. [Q23] */
  readonly #known = newRecentMap<CachedKey<T>>(MAX_KNOWN);
  /** The same. [Q23] */
  readonly #unknown = newRecentMap<true>(MAX_UNKNOWN);
  /** One for each request that looks one up. [Q23] */
  readonly #loading = new Map<string, Promise<CachedKey<T> | undefined>>();

  constructor(load: (hash: string) => Promise<CachedKey<T> | undefined>) {
    this.#load = load;
  }

  async get(hash: string): Promise<CachedKey<T> | undefined> {
    const known = this.#known.get(hash);
    if (known !== undefined) return known;
    if (this.#unknown.has(hash)) return undefined;
    return this.#loading.get(hash) ?? this.#startLoad(hash);
  }

  forget(hash: string): void {
    this.#known.delete(hash);
    this.#unknown.delete(hash);
    this.#loading.delete(hash);
  }

  forgetAll(): void {
    this.#known.clear();
    this.#unknown.clear();
    this.#loading.clear();
  }

  #startLoad(hash: string): Promise<CachedKey<T> | undefined> {
    const loading = this.#load(hash)
      .then((found) => {
        // Forgotten meanwhile: what was found may be from before.
        if (this.#loading.get(hash) !== loading) return this.get(hash);
        if (found === undefined) this.#unknown.set(hash, true);
        else this.#known.set(hash, found);
        return found;
      })
      .finally(() => {
        if (this.#loading.get(hash) === loading) this.#loading.delete(hash);
      });
    this.#loading.set(hash, loading);
    return loading;
  }
}
