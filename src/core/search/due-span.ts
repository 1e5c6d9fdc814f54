import type { TZDate } from "@date-fns/tz";
import { addDays } from "date-fns/addDays";
import { addMonths } from "date-fns/addMonths";
import { atNoon, todayIn } from "../calendar/calendar-days.ts";
import { dateMarkText, isRealDate } from "../text/dates.ts";
import type { DateSpan } from "./query.ts";
import type { QueryContext } from "./time-span.ts";

const EARLIEST = "";
/** Behind every hour of a day, every day of a month, every month of a year. */
const END = "99";

/**
 * Reads when something is due: `today`, `tomorrow`, `yesterday`, `overdue`, `7d`, `3w`, `6m`, `1y` for
 * so far from today on, or a day, month or year. Undefined for everything else.
 */
export function dueSpan(text: string, context: QueryContext): DateSpan | undefined {
  // Not now: the day before or after may leave out this hour.
  const now = atNoon(todayIn(context.timezone, context.nowMs));
  switch (text) {
    case "today":
      return wholeDay(dayText(now));
    case "tomorrow":
      return wholeDay(dayText(addDays(now, 1)));
    case "yesterday":
      return wholeDay(dayText(addDays(now, -1)));
    case "overdue":
      return { from: EARLIEST, to: dayText(now) };
  }
  const [, digits, unit] = /^(\d{1,4})([dwmy])$/.exec(text) ?? [];
  if (digits !== undefined) {
    return { from: dayText(now), to: wholeDay(dayText(later(now, Number(digits), unit))).to };
  }
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? [];
  const date = { year: Number(year), month: Number(month ?? 1), day: Number(day ?? 1) };
  if (year === undefined || !isRealDate(date)) return undefined;
  return day === undefined ? { from: text, to: `${text}-${END}` } : wholeDay(text);
}

function later(now: TZDate, count: number, unit: string | undefined): TZDate {
  switch (unit) {
    case "d":
      return addDays(now, count);
    case "w":
      return addDays(now, 7 * count);
    case "m":
      return addMonths(now, count);
    default:
      return addMonths(now, 12 * count);
  }
}

function wholeDay(day: string): DateSpan {
  return { from: day, to: `${day} ${END}` };
}

function dayText(date: TZDate): string {
  return dateMarkText({
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
  });
}
