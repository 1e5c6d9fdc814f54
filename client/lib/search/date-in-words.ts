import { TZDate } from "@date-fns/tz";
import { addDays } from "date-fns/addDays";
import { addMonths } from "date-fns/addMonths";
import { addYears } from "date-fns/addYears";
import { startOfWeek } from "date-fns/startOfWeek";
import { nextWeekOf } from "../../../src/core/calendar/calendar-days.ts";
import type { WeekStart } from "../../../src/core/calendar/calendar.ts";
import {
  type CalendarDate,
  type DateMark,
  isRealDate,
  weekdayOf,
} from "../../../src/core/text/dates.ts";
import { foldText } from "../../../src/core/search/fold-text.ts";
import { timeInWords } from "./time-in-words.ts";

const WEEKDAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");
const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );

type DateReader = (words: string, today: CalendarDate, weekStart: WeekStart) => Found;
type Found = CalendarDate | undefined;

/** In any order: no text is read by two of them. */
const READERS: readonly DateReader[] = [readNearby, readWeekday, readDistance, readDate];

/**
 * Reads a day, with or without a time, as people say it: `friday`, `tomorrow 5pm`, `next week`, `in 3
 * days`, `aug 3`, `2026-11-20 14:30`, `5pm` (today). A weekday is the next one after today, `next
 * friday` the one of next week; a day without a year is the next such day. Undefined for other texts.
 */
export function dateInWords(
  text: string,
  today: CalendarDate,
  weekStart: WeekStart,
): DateMark | undefined {
  const { words, time } = timeInWords(
    foldText(text)
      .replaceAll(/[\s,]+/g, " ")
      .trim(),
  );
  const date = words === "" && time !== undefined ? today : readDay(words, today, weekStart);
  if (date === undefined || !isRealDate(date)) return undefined;
  return time === undefined ? date : { ...date, time };
}

function readDay(words: string, today: CalendarDate, weekStart: WeekStart): Found {
  for (const read of READERS) {
    const date = read(words, today, weekStart);
    if (date !== undefined) return date;
  }
  return undefined;
}

function readNearby(words: string, today: CalendarDate, weekStart: WeekStart): Found {
  switch (words) {
    case "today":
    case "now":
      return today;
    case "tomorrow":
      return moved(today, (date) => addDays(date, 1));
    case "yesterday":
      return moved(today, (date) => addDays(date, -1));
    case "next week":
      return nextWeekOf(today, weekStart);
    case "next month":
      return { ...moved(today, (date) => addMonths(date, 1)), day: 1 };
    case "next year":
      return { year: today.year + 1, month: 1, day: 1 };
    default:
      return undefined;
  }
}

function readWeekday(words: string, today: CalendarDate, weekStart: WeekStart): Found {
  const [, which, name = ""] = /^(?:(this|next|last) )?([a-z]+)$/.exec(words) ?? [];
  const weekday = indexIn(WEEKDAYS, name);
  if (weekday === undefined) return undefined;
  if (which === undefined) {
    const days = (weekday - weekdayOf(today) + 7) % 7;
    return moved(today, (date) => addDays(date, days === 0 ? 7 : days));
  }
  const weeks = which === "next" ? 7 : which === "last" ? -7 : 0;
  const inWeek = (weekday - weekStart + 7) % 7;
  return moved(today, (date) =>
    addDays(startOfWeek(date, { weekStartsOn: weekStart }), weeks + inWeek),
  );
}

function readDistance(words: string, today: CalendarDate): Found {
  const ahead = /^in (\d{1,4}|an?|one) (day|week|month|year)s?$/.exec(words);
  const back = /^(\d{1,4}|an?|one) (day|week|month|year)s? ago$/.exec(words);
  const [, digits = "", unit] = ahead ?? back ?? [];
  if (unit === undefined) return undefined;
  const count = (/\d/.test(digits) ? Number(digits) : 1) * (ahead === null ? -1 : 1);
  switch (unit) {
    case "day":
      return moved(today, (date) => addDays(date, count));
    case "week":
      return moved(today, (date) => addDays(date, count * 7));
    case "month":
      return moved(today, (date) => addMonths(date, count));
    default:
      return moved(today, (date) => addYears(date, count));
  }
}

function readDate(words: string, today: CalendarDate): Found {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(words);
  if (iso !== null) return { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) };
  const monthFirst = /^([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th|\.)?(?: (\d{4}))?$/.exec(words);
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?([a-z]+)\.?(?: (\d{4}))?$/.exec(words);
  const [name, digits, year] = monthFirst
    ? [monthFirst[1], monthFirst[2], monthFirst[3]]
    : [dayFirst?.[2], dayFirst?.[1], dayFirst?.[3]];
  const index = name === undefined ? undefined : indexIn(MONTHS, name);
  if (index === undefined) return undefined;
  const [month, day] = [index + 1, Number(digits)];
  if (year !== undefined) return { year: Number(year), month, day };
  const isPast = month < today.month || (month === today.month && day < today.day);
  for (let ahead = isPast ? 1 : 0; ahead <= 8; ahead++) {
    const date = { year: today.year + ahead, month, day };
    // February 29 is in the next leap year.
    if (isRealDate(date)) return date;
  }
  return undefined;
}

/** Which of some names is meant, by itself or by three letters or more of it. */
function indexIn(names: readonly string[], word: string): number | undefined {
  const index = word.length < 3 ? -1 : names.findIndex((name) => name.startsWith(word));
  return index < 0 ? undefined : index;
}

function moved({ year, month, day }: CalendarDate, move: (date: TZDate) => TZDate): CalendarDate {
  const date = move(new TZDate(year, month - 1, day, 12, "UTC"));
  return { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() };
}
