import { decodeBits, encode24Bits } from "./tree/ordered-digits.ts";

/** Characters of an encoded time. */
export const TIME_LENGTH = 7;
/** 42 bits of milliseconds: the year 2109. */
const LATEST_TIME = 2 ** 42 - 1;
/** A time is written in two parts, of three and of four digits. */
const LOW_BITS = 2 ** 24;

/** Writes Unix milliseconds as seven characters whose string order is the order in time. */
export function encodeTime(ms: number): string {
  const time = Math.min(Math.max(Math.floor(ms), 0), LATEST_TIME);
  return encode24Bits(Math.floor(time / LOW_BITS)).slice(1) + encode24Bits(time % LOW_BITS);
}

/** The Unix milliseconds of an encoded time; undefined for anything else. */
export function decodeTime(text: string): number | undefined {
  return text.length === TIME_LENGTH ? decodeTimeAt(text, 0) : undefined;
}

/** The same for a time that stands in a longer text. */
export function decodeTimeAt(text: string, start: number): number | undefined {
  const high = decodeBits(text, start, 3);
  const low = decodeBits(text, start + 3);
  return high < 0 || low < 0 ? undefined : high * LOW_BITS + low;
}

/**
 * A hybrid logical clock: as close to physical time as it can be while every time it gives is
 * greater than every one it has seen. Source: Kulkarni et al., "Logical Physical Clocks" (2014),
 * with the counter folded into the milliseconds. At the end of its range it stands still.
 */
export class HybridClock {
  #latest = 0;

  /** Takes note of a time that another replica gave. */
  observe(ms: number): void {
    if (ms > this.#latest) this.#latest = Math.min(ms, LATEST_TIME);
  }

  /** The next time, in milliseconds: `nowMs`, or just after the latest one seen. */
  tick(nowMs: number): number {
    this.#latest = Math.min(Math.max(Math.floor(nowMs), this.#latest + 1), LATEST_TIME);
    return this.#latest;
  }
}
