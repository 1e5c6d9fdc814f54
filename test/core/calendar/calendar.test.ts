import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { nextWeekOf, todayIn, tomorrowOf } from "../../../src/core/calendar/calendar-days.ts";
import { isTimezone, systemOrder, type WeekStart } from "../../../src/core/calendar/calendar.ts";
import {
  FIRST_SEED_CLIENT,
  isSeedClient,
  seedFor,
  seedOfClient,
} from "../../../src/core/calendar/month-seed.ts";
import {
  CALENDAR,
  dayKey,
  INBOX,
  monthKey,
  newNodeKey,
  ROOT,
  yearKey,
  type NodeKey,
} from "../../../src/core/node-key.ts";

const date = (year: number, month: number, day: number) => ({ year, month, day });

describe("dates", () => {
  test.each([
    ["2026-11-20T23:59:59Z", "UTC", date(2026, 11, 20)],
    ["2026-11-21T00:00:00Z", "UTC", date(2026, 11, 21)],
    // Summer time.
    ["2026-07-20T22:00:00Z", "Europe/Berlin", date(2026, 7, 21)],
    ["2026-11-20T04:59:59Z", "America/New_York", date(2026, 11, 19)],
    ["2026-11-20T05:00:00Z", "America/New_York", date(2026, 11, 20)],
    ["2026-11-20T10:00:00Z", "Pacific/Kiritimati", date(2026, 11, 21)],
    ["2026-11-20T18:15:00Z", "Asia/Kathmandu", date(2026, 11, 21)],
  ])("[K20] at %s in %s it is %o", (moment, timezone, today) => {
    expect(todayIn(timezone, Date.parse(moment))).toEqual(today);
  });

  test("[K20] tomorrow and next week cross months, years and leap days", () => {
    expect(tomorrowOf(date(2026, 12, 31))).toEqual(date(2027, 1, 1));
    expect(tomorrowOf(date(2024, 2, 28))).toEqual(date(2024, 2, 29));
    expect(tomorrowOf(date(2027, 2, 28))).toEqual(date(2027, 3, 1));
    expect(tomorrowOf(date(1000, 1, 1))).toEqual(date(1000, 1, 2));
    // 2026-11-20 is a Friday; each start of the week gives the next such weekday after this week.
    const starts = ([0, 1, 2, 3, 4, 5, 6] as WeekStart[]).map(
      (weekStart) => nextWeekOf(date(2026, 11, 20), weekStart).day,
    );
    expect(starts).toEqual([22, 23, 24, 25, 26, 27, 21]);
    expect(nextWeekOf(date(2026, 11, 21), 6)).toEqual(date(2026, 11, 28));
    expect(nextWeekOf(date(2026, 11, 23), 1)).toEqual(date(2026, 11, 30));
    expect(nextWeekOf(date(2026, 12, 30), 1)).toEqual(date(2027, 1, 4));
  });

  test("[K20] a timezone is one that the platform knows", () => {
    expect(["UTC", "Europe/Berlin", "Asia/Kolkata"].map(isTimezone)).toEqual([true, true, true]);
    expect(["", "Mars/Olympus", "../etc", "x".repeat(1000)].map(isTimezone)).toEqual(
      Array<boolean>(4).fill(false),
    );
  });
});

describe("order", () => {
  test("[K21] years are newest first, months and days in date order, others have no fixed order", () => {
    const years = [1000, 1999, 2025, 2026, 9999].map(yearKey);
    const byOrder = (keys: NodeKey[]): NodeKey[] =>
      keys.toSorted((a, b) => ((systemOrder(a) ?? "") < (systemOrder(b) ?? "") ? -1 : 1));
    expect(byOrder(years)).toEqual(years.toReversed());
    const months = Array.from({ length: 12 }, (_, index) => monthKey(2026, index + 1));
    expect(byOrder(months.toReversed())).toEqual(months);
    const days = Array.from({ length: 31 }, (_, index) => dayKey(2026, 1, index + 1));
    expect(byOrder(days.toReversed())).toEqual(days);
    expect([INBOX, CALENDAR, newNodeKey(Math.random)].map(systemOrder)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("seeds", () => {
  test("[K22] a month's seed makes the month and its days with their names, and no place", () => {
    const doc = new Y.Doc();
    Y.applyUpdate(doc, seedFor(dayKey(2024, 2, 10)) ?? new Uint8Array());
    const nodes = doc.getMap<Y.Text>("nodes");
    expect([...nodes.keys()].toSorted()).toEqual(
      [
        monthKey(2024, 2),
        ...Array.from({ length: 29 }, (_, day) => dayKey(2024, 2, day + 1)),
      ].toSorted(),
    );
    expect(nodes.get(monthKey(2024, 2))?.toDelta()).toEqual([{ insert: "February" }]);
    expect(nodes.get(dayKey(2024, 2, 1))?.toDelta()).toEqual([
      { insert: "Thu, Feb 1, 2024", attributes: { d: "2024-02-01" } },
    ]);
    expect(nodes.get(dayKey(2024, 2, 1))?.getAttributes()).toEqual({});
  });

  test("[K22] two devices that seed the same month offline keep what both typed", () => {
    const typed = (client: number, text: string): Y.Doc => {
      const doc = new Y.Doc();
      doc.clientID = client;
      Y.applyUpdate(doc, seedFor(monthKey(2026, 11)) ?? new Uint8Array());
      doc
        .getMap<Y.Text>("nodes")
        .get(dayKey(2026, 11, 20))
        ?.insert(0, text);
      return doc;
    };
    const a = typed(1, "A ");
    Y.applyUpdate(a, Y.encodeStateAsUpdate(typed(2, "B ")));
    const text = a.getMap<Y.Text>("nodes").get(dayKey(2026, 11, 20));
    expect(text?.toDelta()).toEqual([
      { insert: "A B " },
      { insert: "Fri, Nov 20, 2026", attributes: { d: "2026-11-20" } },
    ]);
  });

  test("[K23] every seed client id leads back to the seed that writes under it", () => {
    for (const key of [INBOX, CALENDAR, yearKey(1000), monthKey(2026, 12), dayKey(9999, 12, 31)]) {
      const seed = seedFor(key) ?? new Uint8Array();
      const [client] = Y.decodeUpdate(seed).structs.map((struct) => struct.id.client);
      expect(isSeedClient(client ?? 0)).toBe(true);
      expect(seedOfClient(client ?? 0)).toEqual(seed);
    }
    expect(seedOfClient(FIRST_SEED_CLIENT + 13)).toBeUndefined();
    expect(seedOfClient(1)).toBeUndefined();
    expect([ROOT, newNodeKey(Math.random), "000020261300" as NodeKey].map(seedFor)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
