import { describe, expect, test } from "vitest";
import {
  dateLabel,
  dateMarkText,
  isRealDate,
  parseDateMark,
  timeTag,
  weekdayOf,
} from "../../../src/core/text/dates.ts";

describe("dates in text", () => {
  test("[X8] every day from 1000 to 9999 has the weekday of the calendar", () => {
    const dayMs = 86_400_000;
    const wrong: string[] = [];
    // Primes apart, so that all weekdays, month ends and leap years are met.
    for (let at = Date.UTC(1000, 0, 1); at < Date.UTC(9999, 11, 31); at += 31 * dayMs) {
      const date = new Date(at);
      const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
      const isRight = weekdayOf({ year, month, day }) === date.getUTCDay();
      if (!isRight || !isRealDate({ year, month, day })) wrong.push(date.toISOString());
    }
    expect(wrong).toEqual([]);
  });

  test.for([
    ["2026-08-01", "Sat, Aug 1, 2026"],
    ["2026-11-20", "Fri, Nov 20, 2026"],
    ["2000-02-29", "Tue, Feb 29, 2000"],
    ["1000-01-01", "Wed, Jan 1, 1000"],
    ["9999-12-31", "Fri, Dec 31, 9999"],
    ["2026-08-01 14:30", "Sat, Aug 1, 2026 at 2:30pm"],
    ["2026-08-01 00:00", "Sat, Aug 1, 2026 at 12:00am"],
    ["2026-08-01 12:05", "Sat, Aug 1, 2026 at 12:05pm"],
    ["2026-08-01 23:59", "Sat, Aug 1, 2026 at 11:59pm"],
  ] as const)("[X9] %j reads %j", ([mark, label]) => {
    expect(dateLabel(mark)).toBe(label);
    const parsed = parseDateMark(mark);
    expect(parsed && dateMarkText(parsed)).toBe(mark);
  });

  test.for([
    "2026-02-30",
    "2026-13-01",
    "0999-12-31",
    "2026-8-1",
    "2026-08-01 24:00",
    "2026-08-01 1:00",
    "2026-08-01 ",
    "x2026-08-01",
    "",
  ])("[X10] %j is no date", (text) => {
    expect(parseDateMark(text)).toBe(undefined);
    expect(timeTag(text)).toBe(undefined);
    expect(dateLabel(text)).toBe(text);
  });

  test.for([
    { year: 2026, month: 2, day: 29 },
    { year: 2026, month: 1.5, day: 1 },
    { year: 999, month: 1, day: 1 },
    { year: 10_000, month: 1, day: 1 },
    { year: 2026, month: 1, day: Number.NaN },
  ])("[X10] %o does not exist", (date) => {
    expect(isRealDate(date)).toBe(false);
  });

  test("[X15] a date as a tag", () => {
    expect(timeTag("2026-08-01")).toBe('<time startYear="2026" startMonth="8" startDay="1">');
    expect(timeTag("2026-08-01 09:05")).toBe(
      '<time startYear="2026" startMonth="8" startDay="1" startHour="9" startMinute="5">',
    );
  });
});
