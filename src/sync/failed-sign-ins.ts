import { LRUCache } from "lru-cache";

import { TokenBucket } from "./token-bucket.ts";

const MAX_ADDRESSES = 20_000;

/**
 * Holds back addresses that try wrong keys. Bounded: of more addresses than 20,000 those that were
 * quiet longest are forgotten.
 */
export class FailedSignIns {
  readonly #perMinute: number;
  readonly #buckets = new LRUCache<string, TokenBucket>({ max: MAX_ADDRESSES });

  /** @param perMinute failures a minute for each address; 0 means any number */
  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Milliseconds until the address may try again; 0 is now. */
  waitMs(address: string, now: number): number {
    return this.#buckets.get(address)?.waitMs(now) ?? 0;
  }

  count(address: string, now: number): void {
    if (this.#perMinute === 0) return;
    let bucket = this.#buckets.get(address);
    if (bucket === undefined) {
      bucket = new TokenBucket({ perSecond: this.#perMinute / 60, burst: this.#perMinute });
      this.#buckets.set(address, bucket);
    }
    bucket.take(now);
  }
}
