import { ORDERED_DIGITS } from "./order-key.ts";

/** Characters of an encoded time. */
export const TIME_LENGTH = 7;
const BASE = ORDERED_DIGITS.length;
/** 42 bits of milliseconds: the year 2109. */
const LATEST_TIME = BASE ** TIME_LENGTH - 1;

/** Writes Unix milliseconds as seven characters whose string order is the order in time. */
export function encodeTime(ms: number): string {
  let rest = Math.min(Math.max(Math.floor(ms), 0), LATEST_TIME);
  let text = "";
  while (text.length < TIME_LENGTH) {
    text = ORDERED_DIGITS.charAt(rest % BASE) + text;
    rest = Math.floor(rest / BASE);
  }
  return text;
}

/** The Unix milliseconds of an encoded time; undefined for anything else. */
export function decodeTime(text: string): number | undefined {
  if (text.length !== TIME_LENGTH) return undefined;
  let ms = 0;
  for (const char of text) {
    const digit = ORDERED_DIGITS.indexOf(char);
    if (digit < 0) return undefined;
    ms = ms * BASE + digit;
  }
  return ms;
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
