import { describe, expect } from "vitest";

import { outcomeOf, pathOf } from "./support/api.ts";
import type { Api } from "./support/api.ts";
import { test } from "./support/api-test.ts";
import { MONTHS, dateOfDayName, dayName } from "./support/calendar-names.ts";
import { NODE_ROUTES, LOOKUP_ROUTES } from "./support/reference-routes.ts";
import { plant, sketchOf } from "./support/sketch.ts";

/** The date of the day node that a calendar key means; the node is made. */
async function dateOf(api: Api, key: string): Promise<string> {
  await api.create({ parent_id: key, name: "entry" });
  return dateOfDayName((await api.node(key)).name);
}

/** The sketch of the outline with days as dates. */
async function calendarOf(api: Api): Promise<string> {
  const nodes = await api.export();
  return sketchOf(
    nodes.map((node) =>
      node.name.startsWith("<time") ? { ...node, name: dateOfDayName(node.name) } : node,
    ),
  );
}

describe("the chain of calendar nodes", () => {
  test("[K1, K2, K14] is made whole by a create into today", async ({ api, clock }) => {
    const id = await api.create({ parent_id: "today", name: "entry" });
    const made = (name: string, parent: string | null, rest: object = {}) => ({
      id: expect.any(String) as unknown,
      parent_id: parent,
      name,
      note: null,
      priority: 100,
      completed: false,
      data: { layoutMode: "bullets" },
      createdAt: clock.seconds,
      modifiedAt: clock.seconds,
      completedAt: null,
      ...rest,
    });
    const nodes = await api.export();
    const at = (index: number) => nodes[index]?.id ?? "";
    expect(nodes).toEqual([
      made("📆 Calendar", null),
      made("2026", at(0)),
      made("November", at(1)),
      made('<time startYear="2026" startMonth="11" startDay="20">Fri, Nov 20, 2026</time>', at(2)),
      made("entry", at(3), { id }),
    ]);
  });

  test("[K1] the inbox is made at the top level", async ({ api, clock }) => {
    await api.create({ parent_id: "inbox", name: "entry" });
    const { id, ...inbox } = await api.node("inbox");
    expect(inbox).toEqual({
      parent_id: null,
      name: "Inbox",
      note: null,
      priority: 100,
      completed: false,
      data: { layoutMode: "bullets" },
      createdAt: clock.seconds,
      modifiedAt: clock.seconds,
      completedAt: null,
    });
    expect((await api.children(id)).map((node) => node.name)).toEqual(["entry"]);
  });

  test.for([
    ["calendar", "📆 Calendar(x)"],
    ["2026", "📆 Calendar(2026(x))"],
    ["2026-11", "📆 Calendar(2026(November(x)))"],
    ["2026-11-20", "📆 Calendar(2026(November(2026-11-20(x))))"],
    ["today", "📆 Calendar(2026(November(2026-11-20(x))))"],
    ["inbox", "Inbox(x)"],
  ] as const)(
    "[K2, K7] %s as a parent makes no more than it needs",
    async (row, { api, other }) => {
      const [parent_id, sketch] = row;
      await api.create({ parent_id, name: "x" });
      expect(await calendarOf(api)).toBe(sketch);
      const id = await other.create({ name: "x" });
      await other.move(id, { parent_id });
      expect(await calendarOf(other)).toBe(sketch);
    },
  );

  test("[K2] what is there is used", async ({ api }) => {
    for (const parent_id of ["2026-11-20", "2026-11-21", "2026-12-01", "today", "2025-11-20"]) {
      await api.create({ parent_id, name: "x" });
    }
    expect(await calendarOf(api)).toBe(
      "📆 Calendar(2026(November(2026-11-20(x x) 2026-11-21(x)) December(2026-12-01(x))) 2025(November(2025-11-20(x))))",
    );
  });

  test("[K1, K3] the months of a year are in order and named", async ({ api }) => {
    for (const month of [7, 1, 12, 3, 11, 2, 10, 4, 9, 5, 8, 6]) {
      await api.create({ parent_id: `2025-${String(month).padStart(2, "0")}`, name: "x" });
    }
    expect((await api.children("2025")).map((node) => node.name)).toEqual([...MONTHS]);
  });

  test("[K3] years stand newest first", async ({ api }) => {
    for (const year of ["2026", "1999", "2030", "1000", "9999", "2025", "2027"]) {
      await api.create({ parent_id: year, name: "x" });
    }
    const years = ["9999", "2030", "2027", "2026", "2025", "1999", "1000"];
    expect((await api.children("calendar")).map((node) => node.name)).toEqual(years);
  });

  test("[K3, K14] the days of a month are in order and named", async ({ api }) => {
    const days = Array.from({ length: 29 }, (_, index) => index + 1);
    const date = (day: number) => `2028-02-${String(day).padStart(2, "0")}`;
    // Every seventh, then the next ones: neither rising nor falling.
    const order = days.toSorted((a, b) => (a % 7) - (b % 7) || b - a);
    for (const day of order) await api.create({ parent_id: date(day), name: "x" });
    const names = (await api.children("2028-02")).map((node) => node.name);
    expect(names).toEqual(days.map((day) => dayName(date(day))));
  });

  test("[K13] the same day is the same node, however it is meant", async ({ api, clock }) => {
    const first = await api.create({ parent_id: "today", name: "a" });
    const second = await api.create({ parent_id: "2026-11-20", name: "b" });
    clock.set("2026-11-19T12:00:00Z");
    const third = await api.create({ parent_id: "tomorrow", name: "c" });
    const parents = await Promise.all([first, second, third].map((id) => api.node(id)));
    expect(new Set(parents.map((node) => node.parent_id)).size).toBe(1);
    expect(await calendarOf(api)).toBe("📆 Calendar(2026(November(2026-11-20(c b a))))");
  });

  test("[K13] creates at once into the same missing day make one", async ({ api }) => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        api.create({ parent_id: "today", name: `${index}` }),
      ),
    );
    expect((await api.export()).length).toBe(24);
    expect((await api.children("today")).length).toBe(20);
  });
});

describe("today and its neighbours", () => {
  test.for([
    // the moment, the timezone, today, tomorrow
    ["2026-11-20T12:00:00Z", "UTC", "2026-11-20", "2026-11-21"],
    ["2026-11-20T23:00:00Z", "Europe/Berlin", "2026-11-21", "2026-11-22"],
    ["2026-11-20T22:59:59Z", "Europe/Berlin", "2026-11-20", "2026-11-21"],
    ["2026-11-20T10:59:00Z", "Pacific/Niue", "2026-11-19", "2026-11-20"],
    ["2026-12-31T23:30:00Z", "UTC", "2026-12-31", "2027-01-01"],
  ] as const)("[K4] at %s in %s it is %s", async (row, { api, clock }) => {
    const [moment, timezone, today, tomorrow] = row;
    clock.set(moment);
    await api.configure({ timezone });
    expect([await dateOf(api, "today"), await dateOf(api, "tomorrow")]).toEqual([today, tomorrow]);
  });

  test.for([
    // 2026-11-20 is a Friday
    ["2026-11-20", 0, "2026-11-22"],
    ["2026-11-20", 6, "2026-11-21"],
    ["2026-11-21", 6, "2026-11-28"],
    ["2026-12-31", 1, "2027-01-04"],
  ] as const)("[K5] on %s, weeks starting on %i, next_week is %s", async (row, { api, clock }) => {
    const [date, weekStart, expected] = row;
    clock.set(`${date}T12:00:00Z`);
    await api.configure({ weekStart });
    expect(await dateOf(api, "next_week")).toBe(expected);
  });

  test("[K5] next_week is Monday's until it is set otherwise, and follows the timezone", async ({
    api,
    clock,
  }) => {
    expect(await dateOf(api, "next_week")).toBe("2026-11-23");
    clock.set("2026-11-22T23:30:00Z");
    expect(await dateOf(api, "next_week")).toBe("2026-11-23");
    await api.configure({ timezone: "Europe/Berlin" });
    expect(await dateOf(api, "next_week")).toBe("2026-11-30");
  });

  test("[K4] yesterday's today is another node tomorrow", async ({ api, clock }) => {
    const first = await api.create({ parent_id: "today", name: "x" });
    clock.advance(86_400);
    expect(await api.outcome("GET", "/nodes/today")).toBe("404 not_found");
    expect((await api.node("2026-11-20")).id).toBe((await api.node(first)).parent_id);
    expect(await dateOf(api, "today")).toBe("2026-11-21");
  });
});

describe("missing system nodes", () => {
  const KEYS = ["calendar", "today", "tomorrow", "next_week", "2026", "2026-11", "2026-11-20"];

  test.for(["inbox", ...KEYS])(
    "[K6, K7] %s is only resolved where nothing is put into it",
    async (key, { api }) => {
      const scratch = await api.create({ name: "scratch" });
      const before = await api.state();
      for (const route of [...NODE_ROUTES, ...LOOKUP_ROUTES]) {
        const answer = await route.request(api, key, scratch);
        expect([route.name, outcomeOf(answer)]).toEqual([route.name, "404 not_found"]);
      }
      expect(await api.state()).toEqual(before);
    },
  );

  test("[K6] a missing part of a chain that is there in part stays missing", async ({ api }) => {
    await api.create({ parent_id: "2026-11", name: "x" });
    expect(await api.outcome("GET", "/nodes?parent_id=2026-11-20")).toBe("404 not_found");
    expect(await api.outcome("GET", "/nodes?parent_id=2026-12")).toBe("404 not_found");
    expect(await api.outcome("GET", "/nodes/2025")).toBe("404 not_found");
    expect(await calendarOf(api)).toBe("📆 Calendar(2026(November(x)))");
  });

  test.for(["inbox", ...KEYS])("[K8] a refused request does not make %s", async (key, { api }) => {
    const id = await api.create({ name: "scratch" });
    const before = await api.state();
    const big = "a".repeat(1024 * 1024 + 1);
    const requests = [
      ["/nodes", { parent_id: key }, "400 invalid_request"],
      ["/nodes", { parent_id: key, name: 5 }, "400 invalid_request"],
      ["/nodes", { parent_id: key, name: "x", layoutMode: "h 4" }, "400 invalid_request"],
      ["/nodes", { parent_id: key, name: "x", position: "middle" }, "400 invalid_request"],
      ["/nodes", { parent_id: key, name: big }, "413 too_large"],
      ["/nodes", { parent_id: key, name: "x", note: big }, "413 too_large"],
      ["/nodes/fedcba987654/move", { parent_id: key }, "404 not_found"],
      [`/nodes/${id}/move`, { parent_id: key, position: "middle" }, "400 invalid_request"],
    ] as const;
    for (const [path, body, outcome] of requests) {
      expect(await api.outcome("POST", path, body)).toBe(outcome);
    }
    expect(await api.state()).toEqual(before);
  });

  test.for([
    ["calendar", "2027-01-01"],
    ["calendar", "2026-11-21"],
    ["2026", "2026-12-24"],
    ["2026-11", "tomorrow"],
    ["2026-11", "2026-11"],
  ] as const)(
    "[K8] a move of %s into its own %s makes nothing",
    async ([key, parent_id], { api }) => {
      await api.create({ parent_id: "today", name: "x" });
      const before = await api.state();
      const outcome = await api.outcome("POST", `${pathOf(key)}/move`, { parent_id });
      expect(outcome).toBe("400 invalid_parent");
      expect(await api.state()).toEqual(before);
    },
  );
});

describe("system nodes that were changed", () => {
  const CHAIN = ["inbox", "calendar", "2026", "2026-11", "2026-11-20"];

  test("[K9] renamed ones are still found and used", async ({ api }) => {
    for (const key of ["inbox", "today"]) await api.create({ parent_id: key, name: "x" });
    for (const key of CHAIN) await api.update(key, { name: `my ${key}` });
    for (const key of CHAIN) expect((await api.node(key)).name).toBe(`my ${key}`);
    await api.create({ parent_id: "today", name: "y" });
    await api.create({ parent_id: "inbox", name: "y" });
    await api.create({ parent_id: "2026-12-01", name: "z" });
    const below = async (key: string) => (await api.children(key)).map((node) => node.name);
    expect(await below("calendar")).toEqual(["my 2026"]);
    expect(await below("2026")).toEqual(["my 2026-11", "December"]);
    expect(await below("2026-11")).toEqual(["my 2026-11-20"]);
    expect(await below("2026-11-20")).toEqual(["y", "x"]);
    expect(await below("inbox")).toEqual(["y", "x"]);
    expect((await api.children()).length).toBe(2);
  });

  test("[K9] nodes with their names are not them", async ({ api }) => {
    await api.create({ name: "📆 Calendar" });
    await api.create({ name: "Inbox" });
    for (const key of ["inbox", "calendar"]) {
      expect(await api.outcome("GET", `/nodes/${key}`)).toBe("404 not_found");
    }
    await api.create({ parent_id: "inbox", name: "x" });
    expect((await api.children()).map((node) => node.name).toSorted()).toEqual([
      "Inbox",
      "Inbox",
      "📆 Calendar",
    ]);
  });

  test("[K10] new days, months and years go where their parents were moved", async ({ api }) => {
    await api.create({ parent_id: "2026-11-20", name: "x" });
    const id = await plant(api, "c y m");
    await api.move("2026-11", { parent_id: id("m") });
    await api.move("2026", { parent_id: id("y") });
    await api.move("calendar", { parent_id: id("c") });
    for (const key of ["2026-11-21", "2026-12-01", "2025-01-01"]) {
      await api.create({ parent_id: key, name: "x" });
    }
    expect(await calendarOf(api)).toBe(
      "c(📆 Calendar(2025(January(2025-01-01(x))))) y(2026(December(2026-12-01(x)))) m(November(2026-11-20(x) 2026-11-21(x)))",
    );
  });

  test("[K11] deleted ones are gone, for their target too", async ({ api }) => {
    for (const key of ["inbox", "today"]) await api.create({ parent_id: key, name: "x" });
    await api.remove("today");
    expect(await api.children("2026-11")).toEqual([]);
    await api.remove("calendar");
    await api.remove("inbox");
    expect(await api.export()).toEqual([]);
    for (const key of CHAIN) {
      expect(await api.outcome("GET", `/nodes/${key}`)).toBe("404 not_found");
      expect(await api.outcome("DELETE", `/nodes/${key}`)).toBe("404 not_found");
    }
    expect((await api.targets()).map(({ name }) => name)).toEqual([null, null, null, null, null]);
  });

  test.for(CHAIN)(
    "[K12] %s comes back under its id and name, empty",
    async (key, { api, clock }) => {
      for (const parent_id of ["inbox", "2026-11-20", "2026-11", "2026", "calendar"]) {
        await api.create({ parent_id, name: "gone", note: "gone" });
      }
      await api.update(key, { name: "renamed", note: "noted", layoutMode: "h1", completed: true });
      const { modifiedAt: _before, ...before } = await api.node(key);
      await api.remove(key);
      clock.advance(60);
      expect(await api.outcome("GET", pathOf(key))).toBe("404 not_found");
      const inner = await api.create({ parent_id: key, name: "inner" });
      const { modifiedAt: _after, ...back } = await api.node(key);
      expect(back).toEqual({ ...before, note: null, completed: false, completedAt: null });
      expect((await api.children(key)).map((node) => node.id)).toEqual([inner]);
    },
  );

  test("[K12] what was deleted with a month stays deleted when its days come back", async ({
    api,
  }) => {
    for (const day of ["2026-11-19", "2026-11-20", "2026-11-21"]) {
      await api.create({ parent_id: day, name: day });
    }
    const ids = await Promise.all(["2026-11", "2026-11-20"].map((key) => api.node(key)));
    await api.remove("calendar");
    await api.create({ parent_id: "2026-11-20", name: "new" });
    expect(await calendarOf(api)).toBe("📆 Calendar(2026(November(2026-11-20(new))))");
    expect((await api.node("2026-11")).id).toBe(ids[0]?.id);
    expect((await api.node("2026-11-20")).id).toBe(ids[1]?.id);
    expect(await api.outcome("GET", "/nodes/2026-11-19")).toBe("404 not_found");
    await api.create({ parent_id: "2026-11-19", name: "newer" });
    expect(await calendarOf(api)).toBe(
      "📆 Calendar(2026(November(2026-11-19(newer) 2026-11-20(new))))",
    );
  });

  test("[K12] one that was moved comes back there while there is such a place", async ({ api }) => {
    const elsewhere = await api.create({ name: "elsewhere" });
    await api.create({ parent_id: "2026-11-20", name: "x" });
    await api.move("2026-11", { parent_id: elsewhere });
    await api.remove("2026-11");
    await api.create({ parent_id: "2026-11-21", name: "y" });
    expect(await calendarOf(api)).toBe("elsewhere(November(2026-11-21(y))) 📆 Calendar(2026)");
    await api.remove(elsewhere);
    await api.create({ parent_id: "2026-11-22", name: "z" });
    expect(await calendarOf(api)).toBe("📆 Calendar(2026(November(2026-11-22(z))))");
  });

  test("[K12] again and again", async ({ api }) => {
    for (let round = 0; round < 5; round += 1) {
      await api.create({ parent_id: "today", name: `round ${round}` });
      expect(await calendarOf(api)).toBe(`📆 Calendar(2026(November(2026-11-20(round ${round}))))`);
      await api.remove(["today", "2026-11", "2026", "calendar", "today"][round] ?? "");
    }
  });
});
