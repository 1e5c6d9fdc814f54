import {
  type CalendarDate,
  dateLabel,
  type DateMark,
  dateMarkText,
} from "../../../../src/core/text/dates.ts";

/** How a date reads from the day that it is now. */
export interface SaidDate {
  /** "tomorrow", "Friday", "Dec 1": shorter than what is stored, and said of the same day. */
  readonly text: string;
  readonly when: "past" | "today" | "coming";
}

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEK = 7;

/** What a person would call a date. @param today where that person lives */
export function saidDate(mark: DateMark, today: CalendarDate): SaidDate {
  const days = (dayOf(mark) - dayOf(today)) / DAY_MS;
  const label = dateLabel(dateMarkText(mark));
  const time = / at (.+)$/.exec(label)?.[1];
  const day = nameOfDay(mark, today, days);
  return {
    text: time === undefined ? day : `${day}, ${time}`,
    when: days < 0 ? "past" : days === 0 ? "today" : "coming",
  };
}

function nameOfDay(date: CalendarDate, today: CalendarDate, days: number): string {
  if (days === 0) return "today";
  if (days === 1) return "tomorrow";
  if (days === -1) return "yesterday";
  if (days < 0 && days > -WEEK) return `${-days} days ago`;
  if (days > 0 && days < WEEK) return written(date, { weekday: "long" });
  const year = date.year === today.year ? undefined : ({ year: "numeric" } as const);
  return written(date, { month: "short", day: "numeric", ...year });
}

/** In the language in which dates are stored. */
export function written(date: CalendarDate, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" }).format(dayOf(date));
}

function dayOf({ year, month, day }: CalendarDate): number {
  return Date.UTC(year, month - 1, day);
}
