import { TZDate } from "@date-fns/tz";
// By their own paths: the index of date-fns has 300 modules.
import { addDays } from "date-fns/addDays";
import { startOfWeek } from "date-fns/startOfWeek";
import { dayKey, systemNodeOf, type NodeKey } from "./node-key.ts";
import { encodeOrderInt } from "./order-key.ts";
import type { CalendarDate } from "./text/dates.ts";

/** The first day of a week, as in the settings: 0 is Sunday. */
export type WeekStart = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/**
 * The fixed order key of a year, month or day among its siblings: years newest first, the others in
 * date order. Undefined for every other node: those are placed like any node.
 */
export function systemOrder(key: NodeKey): string | undefined {
  const node = systemNodeOf(key);
  switch (node?.kind) {
    case "year":
      return encodeOrderInt(-node.year);
    case "month":
      return encodeOrderInt(node.month);
    case "day":
      return encodeOrderInt(node.day);
    default:
      return undefined;
  }
}

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

/** Whether the platform knows a time zone by this name. */
export function isTimezone(name: string): boolean {
  try {
    return name !== "" && Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

function atNoon({ year, month, day }: CalendarDate): TZDate {
  return new TZDate(year, month - 1, day, 12, "UTC");
}

function dateOf(date: TZDate): CalendarDate {
  return { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() };
}
