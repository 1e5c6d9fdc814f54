import { daysInMonth } from "../node-key.ts";

/** A day of the proleptic Gregorian calendar. Month and day count from 1. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** A date in a text, with or without the time of day: hour 0 to 23, minute 0 to 59. */
export interface DateMark extends CalendarDate {
  readonly time?: { readonly hour: number; readonly minute: number };
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const MONTHS = [
  "Jan",
  "Feb",
  "Mar",
  "Apr",
  "May",
  "Jun",
  "Jul",
  "Aug",
  "Sep",
  "Oct",
  "Nov",
  "Dec",
] as const;
const MARK = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d))?$/;

/** Whether the day exists, in the years 1000 to 9999. */
export function isRealDate({ year, month, day }: CalendarDate): boolean {
  return (
    [year, month, day].every(Number.isInteger) &&
    year >= 1000 &&
    year <= 9999 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth(year, month)
  );
}

/** 0 for Sunday to 6 for Saturday. */
export function weekdayOf({ year, month, day }: CalendarDate): number {
  // Years are counted from March, so that the leap day is the last day of its year.
  const marchYear = month < 3 ? year - 1 : year;
  const daysBeforeMonth = Math.floor((153 * ((month + 9) % 12) + 2) / 5);
  const leapDays =
    Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  // March 1 of the year 0 was a Wednesday.
  return (marchYear * 365 + leapDays + daysBeforeMonth + day - 1 + 3) % 7;
}

/** Reads `YYYY-MM-DD` or `YYYY-MM-DD HH:MM`; undefined for another form and for impossible dates. */
export function parseDateMark(text: string): DateMark | undefined {
  const match = MARK.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour, minute] = match
    .slice(1)
    .map((digits) => (digits === undefined ? undefined : Number(digits)));
  const date = { year, month, day };
  if (!isRealDate(date)) return undefined;
  if (hour === undefined || minute === undefined) return date;
  return hour < 24 && minute < 60 ? { ...date, time: { hour, minute } } : undefined;
}

/** `YYYY-MM-DD` or `YYYY-MM-DD HH:MM`: the value of the format `d`. */
export function dateMarkText(mark: DateMark): string {
  const date = `${mark.year}-${twoDigits(mark.month)}-${twoDigits(mark.day)}`;
  if (mark.time === undefined) return date;
  return `${date} ${twoDigits(mark.time.hour)}:${twoDigits(mark.time.minute)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** How a date reads: `Sat, Aug 1, 2026` or `Sat, Aug 1, 2026 at 2:30pm`. What is no date stays. */
export function dateLabel(text: string): string {
  const mark = parseDateMark(text);
  if (mark === undefined) return text;
  const weekday = WEEKDAYS[weekdayOf(mark)] ?? "";
  const date = `${weekday}, ${MONTHS[mark.month - 1] ?? ""} ${mark.day}, ${mark.year}`;
  if (mark.time === undefined) return date;
  const { hour, minute } = mark.time;
  const half = hour < 12 ? "am" : "pm";
  return `${date} at ${hour % 12 === 0 ? 12 : hour % 12}:${twoDigits(minute)}${half}`;
}

/** The opening tag of a date, numbers without leading zeros; undefined for what is no date. */
export function timeTag(text: string): string | undefined {
  const mark = parseDateMark(text);
  if (mark === undefined) return undefined;
  const date = `startYear="${mark.year}" startMonth="${mark.month}" startDay="${mark.day}"`;
  if (mark.time === undefined) return `<time ${date}>`;
  return `<time ${date} startHour="${mark.time.hour}" startMinute="${mark.time.minute}">`;
}
