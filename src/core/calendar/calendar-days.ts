import { TZDate } from "@date-fns/tz";
// By their own paths: the index of date-fns has 300 modules.
import { addDays } from "date-fns/addDays";
import { startOfWeek } from "date-fns/startOfWeek";
import type { WeekStart } from "./calendar.ts";
import { dayKey, type NodeKey } from "../node-key.ts";
import type { CalendarDate } from "../text/dates.ts";

/** The date in a time zone. @param timezone an IANA name that the platform knows */
export function todayIn(timezone: string, nowMs: number): CalendarDate {
  return dateOf(new TZDate(nowMs, timezone));
}

/** The day after. */
export function tomorrowOf(date: CalendarDate): CalendarDate {
  return dateOf(addDays(atNoon(date), 1));
}

/** The first day of the week after the one that `date` is in. */
export function nextWeekOf(date: CalendarDate, weekStart: WeekStart): CalendarDate {
  return dateOf(startOfWeek(addDays(atNoon(date), 7), { weekStartsOn: weekStart }));
}

/** The reserved key of a date. */
export function keyOfDate({ year, month, day }: CalendarDate): NodeKey {
  return dayKey(year, month, day);
}

/** A date to count days from: no hour of it is left out. */
export function atNoon({ year, month, day }: CalendarDate): TZDate {
  return new TZDate(year, month - 1, day, 12, "UTC");
}

function dateOf(date: TZDate): CalendarDate {
  return { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() };
}
