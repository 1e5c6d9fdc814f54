import type { Random } from "../../src/core/node-key.ts";

/** Repeatable numbers in [0, 1) for a seed. Source: Mulberry32 by Tommy Ettinger, public domain. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** An integer from 0 to `below` - 1. */
export function integerBelow(random: Random, below: number): number {
  return Math.floor(random() * below);
}

/** One of the items; there must be one. */
export function oneOf<T>(random: Random, items: readonly T[]): T {
  const item = items[integerBelow(random, items.length)];
  if (item === undefined) throw new Error("nothing to choose from");
  return item;
}
