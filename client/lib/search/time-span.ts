import { TZDate } from "@date-fns/tz";
import { addDays, addMonths, addYears, subMonths, subYears } from "date-fns";
import { todayIn } from "../../../src/core/calendar.ts";
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
  if (text === "today" || text === "yesterday") {
    const { year, month, day } = todayIn(timezone, nowMs);
    const start = new TZDate(year, month - 1, text === "today" ? day : day - 1, timezone);
    return spanOf(start, addDays(start, 1));
  }
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const start = new TZDate(Number(year), Number(month ?? 1) - 1, Number(day ?? 1), timezone);
  const isReal =
    start.getMonth() + 1 === Number(month ?? 1) && start.getDate() === Number(day ?? 1);
  if (!isReal) return undefined;
  if (month === undefined) return spanOf(start, addYears(start, 1));
  return spanOf(start, day === undefined ? addMonths(start, 1) : addDays(start, 1));
}

function spanOf(from: TZDate, to: TZDate): TimeSpan {
  return { from: secondsOf(from), to: secondsOf(to) };
}

function secondsOf(date: TZDate): number {
  return Math.floor(date.getTime() / 1000);
}
