import { expect, test } from "vitest";
import { dateInWords } from "../../../../client/lib/search/date-in-words.ts";
import { dateMarkText } from "../../../../src/core/text/dates.ts";

/** A Friday. */
const TODAY = { year: 2026, month: 11, day: 20 };

/** What a text means; with the week beginning on Monday unless another day is given. */
function read(text: string, weekStart: 0 | 1 | 6 = 1): string | undefined {
  const mark = dateInWords(text, TODAY, weekStart);
  return mark === undefined ? undefined : dateMarkText(mark);
}

test.each([
  ["today", "2026-11-20"],
  ["Tomorrow", "2026-11-21"],
  ["yesterday", "2026-11-19"],
  ["friday", "2026-11-27"],
  ["sat", "2026-11-21"],
  ["thurs", "2026-11-26"],
  ["this friday", "2026-11-20"],
  ["next friday", "2026-11-27"],
  ["next monday", "2026-11-23"],
  ["last monday", "2026-11-09"],
  ["next week", "2026-11-23"],
  ["next month", "2026-12-01"],
  ["next year", "2027-01-01"],
  ["in 3 days", "2026-11-23"],
  ["in a week", "2026-11-27"],
  ["2 weeks ago", "2026-11-06"],
  ["in 3 months", "2027-02-20"],
  ["in 1 year", "2027-11-20"],
  ["aug 3", "2027-08-03"],
  ["3 Aug", "2027-08-03"],
  ["december 24", "2026-12-24"],
  ["nov 20", "2026-11-20"],
  ["Dec 1st, 2030", "2030-12-01"],
  ["1st of december", "2026-12-01"],
  ["feb 29", "2028-02-29"],
  ["2026-11-20", "2026-11-20"],
  ["2026-1-2", "2026-01-02"],
])("[L90] %s is %s", (text, date) => {
  expect(read(text)).toBe(date);
});

test.each([
  ["tomorrow 5pm", "2026-11-21 17:00"],
  ["tomorrow at 5", "2026-11-21 05:00"],
  ["friday at 12am", "2026-11-27 00:00"],
  ["fri noon", "2026-11-27 12:00"],
  ["2026-11-20 14:30", "2026-11-20 14:30"],
  ["aug 3 5:30 p.m.", "2027-08-03 17:30"],
  ["5pm", "2026-11-20 17:00"],
  ["9:05", "2026-11-20 09:05"],
  ["midnight", "2026-11-20 00:00"],
])("[L91] %s is %s", (text, date) => {
  expect(read(text)).toBe(date);
});

test("[L90] the week begins where the settings say", () => {
  expect(read("next week", 0)).toBe("2026-11-22");
  expect(read("next sunday", 0)).toBe("2026-11-22");
  expect(read("next sunday", 1)).toBe("2026-11-29");
  expect(read("this saturday", 6)).toBe("2026-11-14");
});

test.each([
  "",
  "3",
  "hello",
  "mo",
  "feb 30",
  "2026-02-30",
  "0999-01-01",
  "in 3",
  "25:00",
  "13pm",
  "5:60",
  "friday 99",
  "in 9999 years ago",
  "next",
])("[L92] %j is no date", (text) => {
  expect(read(text)).toBeUndefined();
});
