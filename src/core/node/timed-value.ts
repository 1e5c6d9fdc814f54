import { decodeTimeAt, encodeTime, TIME_LENGTH } from "../hybrid-clock.ts";

/** When a value was written, and by whom: of concurrent writes the latest wins. */
export interface WriteTime {
  /** Hybrid logical time in Unix milliseconds; 0 when nobody knows. */
  readonly at: number;
  /**
   * The Yjs client that stands behind it, where that is not the one that wrote it: repair writes a
   * value again that Yjs has dropped.
   */
  readonly by?: number;
}

/** A value of a register together with the time of its writing. */
export interface TimedValue extends WriteTime {
  readonly value: string;
}

/*
 * value [ "\n" at(7) client ]      at as in hybrid-clock.ts, client in base 36 or absent
 *
 * None of the registers (layout, deletion mark, shortcut, setting) has a line break in its value.
 */
const TIME_MARK = "\n";
const CLIENT = /^[1-9a-z][0-9a-z]{0,9}$/;

/**
 * How far ahead of the own clock a time may lie and still be believed. The server rewrites what lies
 * further ahead, and clocks are not pushed by it: one bad clock stays one.
 */
export const CLOCK_TOLERANCE_MS = 60_000;

/**
 * The same for a time that a write follows. Longer, because the clock of a device may be behind: what it
 * has seen, the server has found to be no later than now.
 */
export const FOLLOWED_MS = 24 * 60 * 60 * 1000;

/** A time that is believed: one too far ahead of now counts as now. Unix milliseconds. */
export function believed(at: number, nowMs: number): number {
  return at > nowMs + CLOCK_TOLERANCE_MS ? Math.floor(nowMs) : at;
}

/** Writes a value with its time; without one when `at` is 0. The value has no line break. */
export function encodeTimed({ value, at, by }: TimedValue): string {
  if (at === 0) return value;
  return value + TIME_MARK + encodeTime(at) + (by === undefined ? "" : by.toString(36));
}

/** Reads a value and its time; `at` is 0 when it says none, or none that can be read. */
export function parseTimed(text: string): TimedValue {
  const end = text.lastIndexOf(TIME_MARK);
  if (end < 0) return { value: text, at: 0 };
  const value = text.slice(0, end);
  const at = decodeTimeAt(text, end + 1) ?? 0;
  const client = text.slice(end + 1 + TIME_LENGTH);
  if (at === 0 || (client !== "" && !CLIENT.test(client))) return { value, at: 0 };
  return client === "" ? { value, at } : { value, at, by: Number.parseInt(client, 36) };
}

/**
 * The time of a write that replaces one of `previousAt`: now, or just after that. One that lies too
 * far ahead to be true is not followed. Unix milliseconds.
 */
export function timeAfter(previousAt: number, nowMs: number): number {
  const now = Math.floor(nowMs);
  return previousAt > now + FOLLOWED_MS ? now : Math.max(now, previousAt + 1);
}

/** Whether one stored value says that it was written later than another says of itself. */
export function isWrittenLater(one: unknown, other: unknown): boolean {
  const [at, otherAt] = [one, other].map((value) =>
    typeof value === "string" ? parseTimed(value).at : 0,
  );
  return (at ?? 0) > (otherAt ?? 0);
}
