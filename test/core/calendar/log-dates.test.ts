import { expect, test } from "vitest";
import * as Y from "yjs";
import { LogDates } from "../../../src/core/calendar/log-dates.ts";

const DAY = 24 * 60 * 60;
const START = 1_800_000_000;

test("[D38] an update is dated by the first note behind it, and never too early", () => {
  const dates = new LogDates(new Y.Doc().getMap("meta"));
  expect(dates.dateOf(1)).toBeUndefined();
  dates.note({ seq: 5, at: START }, 30 * DAY);
  dates.note({ seq: 9, at: START + DAY }, 30 * DAY);
  // So soon after the last note that it would tell nothing.
  dates.note({ seq: 12, at: START + DAY + 60 }, 30 * DAY);
  expect([1, 5, 6, 9].map((seq) => dates.dateOf(seq))).toEqual([
    START,
    START,
    START + DAY,
    START + DAY,
  ]);
  expect(dates.dateOf(10)).toBeUndefined();
});

test("[D38] notes stay few, however long it goes on, and those that are needed stay", () => {
  const doc = new Y.Doc();
  const dates = new LogDates(doc.getMap("meta"));
  for (let hour = 0; hour < 24 * 100; hour++) {
    dates.note({ seq: hour + 1, at: START + hour * 3600 }, 30 * DAY);
  }
  const now = START + 24 * 100 * 3600;
  expect(dates.dateOf(1)).toBeLessThanOrEqual(now - 30 * DAY);
  for (let hour = 24 * 70; hour < 24 * 98; hour++) {
    const date = dates.dateOf(hour + 1) ?? Infinity;
    expect(date).toBeGreaterThanOrEqual(START + hour * 3600);
    expect(date).toBeLessThan(START + hour * 3600 + 1.5 * DAY);
  }
  expect(Y.encodeStateAsUpdate(doc).byteLength).toBeLessThan(1_000);
});

test("[D38] nonsense is no note, and a clock that was put right takes back what it said", () => {
  const meta = new Y.Doc().getMap("meta");
  const dates = new LogDates(meta);
  for (const nonsense of ["x", "1@", "1@2,3@4", 7, ["1@2"], "9".repeat(16) + "@1"]) {
    meta.set("reached", nonsense);
    expect(dates.dateOf(1)).toBeUndefined();
  }
  dates.note({ seq: 1, at: START + 9_000 * DAY }, 30 * DAY);
  dates.note({ seq: 2, at: START }, 30 * DAY);
  expect(dates.dateOf(1)).toBe(START);
});
