import { expect, test } from "vitest";
import { saidDate } from "../../../../../client/app/outline/aids/date-said.ts";
import { weekOf } from "../../../../../client/app/sidebar/week-section.tsx";
import { parseDateMark } from "../../../../../src/core/text/dates.ts";

const TODAY = { year: 2026, month: 11, day: 25 };

function said(mark: string) {
  const date = parseDateMark(mark);
  if (date === undefined) throw new Error(`no date: ${mark}`);
  return saidDate(date, TODAY);
}

test.each([
  ["2026-11-25", "today", "today"],
  ["2026-11-26", "tomorrow", "coming"],
  ["2026-11-24", "yesterday", "past"],
  ["2026-11-22", "3 days ago", "past"],
  ["2026-11-18", "Nov 18", "past"],
  ["2026-11-28", "Saturday", "coming"],
  ["2026-12-01", "Tuesday", "coming"],
  ["2026-12-02", "Dec 2", "coming"],
  ["2027-01-01", "Jan 1, 2027", "coming"],
  ["2025-11-25", "Nov 25, 2025", "past"],
  ["2026-11-26 14:30", "tomorrow, 2:30pm", "coming"],
])("[W308] %s is said as %s", (mark, text, when) => {
  expect(said(mark)).toEqual({ text, when });
});

test("[W314] a week has the days from its first one, over the ends of months and years", () => {
  const daysOf = (start: 0 | 1 | 6) => weekOf(TODAY, start).map(({ day }) => day);
  expect(daysOf(1)).toEqual([23, 24, 25, 26, 27, 28, 29]);
  expect(daysOf(0)).toEqual([22, 23, 24, 25, 26, 27, 28]);
  expect(daysOf(6)).toEqual([21, 22, 23, 24, 25, 26, 27]);
  expect(weekOf({ year: 2027, month: 1, day: 1 }, 1)[0]).toEqual({
    year: 2026,
    month: 12,
    day: 28,
  });
});
