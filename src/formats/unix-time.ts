/** The last second of the year 9999. */
const LAST_TIME = 253_402_300_799;

/** A moment of a file in whole Unix seconds; undefined for what can be none. */
export function unixTimeOf(seconds: unknown, first = 1): number | undefined {
  if (typeof seconds !== "number" || !(seconds >= first && seconds <= LAST_TIME)) return undefined;
  return Math.floor(seconds);
}
