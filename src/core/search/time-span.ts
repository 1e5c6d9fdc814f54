import { TZDate } from "@date-fns/tz";
import { subMonths } from "date-fns/subMonths";
import { subYears } from "date-fns/subYears";
import { atNoon, todayIn } from "../calendar/calendar-days.ts";
import { isRealDate } from "../text/dates.ts";
import type { TimeSpan } from "./query.ts";

export interface QueryContext {
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** An IANA name that the platform knows. */
  readonly timezone: string;
}

const HOUR_SEC = 3600;
const DAY_SEC = 24 * HOUR_SEC;
const FAR = 10_000_000_000;

/**
 * Reads when: `2h`, `1d`, `3w`, `6m`, `1y` mean since then, `today`, `yesterday`, `2026`, `2026-11`
 * and `2026-11-20` mean that time in the time zone. Undefined for everything else.
 */
export function timeSpan(text: string, context: QueryContext): TimeSpan | undefined {
  return sinceSpan(text, context) ?? calendarSpan(text, context);
}

function sinceSpan(text: string, { nowMs, timezone }: QueryContext): TimeSpan | undefined {
  const [, digits, unit] = /^(\d{1,4})([hdwmy])$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const count = Number(digits);
  const now = new TZDate(nowMs, timezone);
  const nowSec = Math.floor(nowMs / 1000);
  switch (unit) {
    case "h":
      return { from: nowSec - count * HOUR_SEC, to: FAR };
    case "d":
      return { from: nowSec - count * DAY_SEC, to: FAR };
    case "w":
      return { from: nowSec - count * 7 * DAY_SEC, to: FAR };
    case "m":
      return { from: secondsOf(subMonths(now, count)), to: FAR };
    default:
      return { from: secondsOf(subYears(now, count)), to: FAR };
  }
}

function calendarSpan(text: string, { nowMs, timezone }: QueryContext): TimeSpan | undefined {
  const startOf = (year: number, month: number, day: number): number =>
    startOfDay(secondsOf(atNoon({ year, month, day })) - DAY_SEC / 2, timezone);
  if (text === "today" || text === "yesterday") {
    const { year, month, day } = todayIn(timezone, nowMs);
    const first = text === "today" ? day : day - 1;
    return { from: startOf(year, month, first), to: startOf(year, month, first + 1) };
  }
  const found = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text);
  if (found === null) return undefined;
  const [year, month, day] = [Number(found[1]), Number(found[2] ?? 1), Number(found[3] ?? 1)];
  if (!isRealDate({ year, month, day })) return undefined;
  const from = startOf(year, month, day);
  if (found[2] === undefined) return { from, to: startOf(year + 1, 1, 1) };
  if (found[3] === undefined) return { from, to: startOf(year, month + 1, 1) };
  return { from, to: startOf(year, month, day + 1) };
}

/**
 * When the day begins that would begin then in UTC: at the first midnight that the clocks show, or where
 * they leave it out when they do. A `TZDate` of a year, month and day is at times an hour off where the
 * machine itself has another time zone than UTC.
 * @param utc Unix seconds
 */
function startOfDay(utc: number, timezone: string): number {
  const offsetAt = (at: number): number =>
    -60 * new TZDate(at * 1000, timezone).getTimezoneOffset();
  const [before, after] = [offsetAt(utc - DAY_SEC), offsetAt(utc + DAY_SEC)];
  const shown = [before, after].find((offset) => offsetAt(utc - offset) === offset);
  return utc - (shown ?? before);
}

function secondsOf(date: TZDate): number {
  return Math.floor(date.getTime() / 1000);
}
