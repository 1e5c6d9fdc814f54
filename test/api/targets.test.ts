import { describe, expect } from "vitest";

import { shortIdOf } from "./support/api.ts";
import type { Api } from "./support/api.ts";
import { test } from "./support/api-test.ts";
import { dayName } from "./support/calendar-names.ts";
import { plant, sketchOf } from "./support/sketch.ts";

const REFUSED_KEYS = [
  "none None NULL null root Root",
  "inbox INBOX calendar today Today tomorrow next_week Next_Week",
  "01234567-89ab-8def-8123-456789abcdef 01234567-89AB-8DEF-8123-456789ABCDEF",
  "0123456789ab8def8123456789abcdef fedcba987654 FEDCBA987654 123456789012",
  "2026 1000 9999 0000 2026-11 2026-13 2026-11-20 2026-02-30",
  "a/b / https://a.example/#/fedcba987654 a\nb \u0000",
].flatMap((line) => line.split(" "));

const ACCEPTED_KEYS = [
  "home a work-2026 20266 inboxes fedcba98765 fedcba9876543 g23456789012",
  "täglich 日記 🛒 a?b=c&d#e 100% %41 + a.b",
  "__proto__ constructor toString hasOwnProperty valueOf",
].flatMap((line) => line.split(" "));

const NOTHING_THERE = ["inbox", "calendar", "today", "tomorrow", "next_week"].map((key) => ({
  key,
  type: "system",
  name: null,
}));

async function shortcutsOf(api: Api): Promise<readonly (readonly [string, string | null])[]> {
  const targets = await api.targets();
  return targets
    .filter((target) => target.type === "shortcut")
    .map(({ key, name }) => [key, name] as const);
}

describe("system targets", () => {
  test("[T1, T2] are always listed, in their order, without a name while they are missing", async ({
    api,
  }) => {
    const { status, body } = await api.request("GET", "/targets");
    expect({ status, body }).toEqual({ status: 200, body: { targets: NOTHING_THERE } });
  });

  test("[T2] have the names of their nodes as they are now", async ({ api, clock }) => {
    for (const parent_id of ["inbox", "today", "next_week"]) {
      await api.create({ parent_id, name: "x" });
    }
    await api.update("inbox", { name: "In **box**" });
    const names = async () => (await api.targets()).map((target) => target.name);
    expect(await names()).toEqual([
      "In <b>box</b>",
      "📆 Calendar",
      dayName("2026-11-20"),
      null,
      dayName("2026-11-23"),
    ]);
    clock.set("2026-11-22T12:00:00Z");
    expect((await names()).slice(2)).toEqual([null, dayName("2026-11-23"), dayName("2026-11-23")]);
    await api.configure({ weekStart: 0 });
    expect((await names()).slice(2)).toEqual([null, dayName("2026-11-23"), null]);
    await api.remove("2026-11");
    expect((await names()).slice(1)).toEqual(["📆 Calendar", null, null, null]);
  });
});

describe("shortcuts", () => {
  test("[T1, T3, T4] follow the system targets, oldest first", async ({ api }) => {
    const id = await plant(api, "z y(x)");
    for (const [key, name] of [
      ["zulu", "z"],
      ["alfa", "x"],
      ["mike", "y"],
    ] as const) {
      const { status, body } = await api.request("POST", "/targets", {
        json: { key, id: id(name) },
      });
      expect({ status, body }).toEqual({ status: 200, body: { status: "ok" } });
    }
    await api.update(id("x"), { name: "*x*" });
    expect(await api.targets()).toEqual([
      ...NOTHING_THERE,
      { key: "zulu", type: "shortcut", name: "z" },
      { key: "alfa", type: "shortcut", name: "<i>x</i>" },
      { key: "mike", type: "shortcut", name: "y" },
    ]);
  });

  test("[T4] can point at a system node and at what another shortcut points at", async ({
    api,
  }) => {
    await api.create({ parent_id: "today", name: "x" });
    await api.setShortcut("day", "today");
    await api.setShortcut("same", "day");
    expect((await api.node("same")).id).toBe((await api.node("today")).id);
    expect(await shortcutsOf(api)).toEqual([
      ["day", dayName("2026-11-20")],
      ["same", dayName("2026-11-20")],
    ]);
  });

  test("[T5] are pointed anew by the same key in any case", async ({ api }) => {
    const id = await plant(api, "a b c");
    await api.setShortcut("work", id("a"));
    await api.setShortcut("work", id("b"));
    expect(await shortcutsOf(api)).toEqual([["work", "b"]]);
    await api.setShortcut("WORK", id("c"));
    expect((await api.node("Work")).id).toBe(id("c"));
    expect((await shortcutsOf(api)).map(([key, name]) => [key.toLowerCase(), name])).toEqual([
      ["work", "c"],
    ]);
  });

  test("[T6] of a deleted node are gone", async ({ api }) => {
    const id = await plant(api, "a(b) c");
    await api.setShortcut("upper", id("a"));
    await api.setShortcut("lower", id("b"));
    await api.setShortcut("stays", id("c"));
    await api.remove(id("a"));
    expect(await shortcutsOf(api)).toEqual([["stays", "c"]]);
    for (const key of ["upper", "lower"]) {
      expect(await api.outcome("GET", `/nodes/${key}`)).toBe("404 not_found");
      expect(await api.outcome("GET", `/nodes?parent_id=${key}`)).toBe("404 not_found");
      expect(await api.outcome("DELETE", `/targets/${key}`)).toBe("404 not_found");
    }
    await api.setShortcut("upper", id("c"));
    expect((await api.node("upper")).id).toBe(id("c"));
  });

  test("[T3] follow their node when it is moved", async ({ api }) => {
    const id = await plant(api, "a(b) c");
    await api.setShortcut("b", id("b"));
    await api.move("b", { parent_id: id("c") });
    expect((await api.node("b")).parent_id).toBe(id("c"));
    expect(await shortcutsOf(api)).toEqual([["b", "b"]]);
  });

  test("[T7] can't be called what means something else", async ({ api }) => {
    const id = await api.create({ name: "x" });
    for (const key of REFUSED_KEYS) {
      const outcome = await api.outcome("POST", "/targets", { key, id });
      expect([key, outcome]).toEqual([key, "400 invalid_request"]);
    }
    expect(await shortcutsOf(api)).toEqual([]);
  });

  test("[T8] can be called anything else", async ({ api }) => {
    for (const key of [...ACCEPTED_KEYS, "a b"]) {
      const id = await api.create({ name: key });
      await api.setShortcut(key, id);
      expect((await api.node(key)).id).toBe(id);
      expect(await api.children(key)).toEqual([]);
      const inner = await api.create({ parent_id: key, name: "inner" });
      expect((await api.node(inner)).parent_id).toBe(id);
      expect((await shortcutsOf(api)).map(([each]) => each)).toEqual([key]);
      await api.done("DELETE", `/targets/${encodeURIComponent(key)}`);
      expect(await shortcutsOf(api)).toEqual([]);
      expect(await api.outcome("GET", `/nodes/${encodeURIComponent(key)}`)).toBe("404 not_found");
    }
  });

  test("[T9] need a key and an id that are strings", async ({ api }) => {
    const id = await api.create({ name: "x" });
    const bodies = [
      undefined,
      {},
      { key: "work" },
      { id },
      { key: "", id },
      { key: 5, id },
      { key: null, id },
      { key: ["work"], id },
      { key: "work", id: 5 },
      { key: "work", id: [id] },
      { key: "work", id: true },
      { key: "work", id: {} },
    ];
    for (const body of bodies) {
      expect([body, await api.outcome("POST", "/targets", body)]).toEqual([
        body,
        "400 invalid_request",
      ]);
    }
    expect(await shortcutsOf(api)).toEqual([]);
  });

  test("[T10] are taken away in any case, and their node stays", async ({ api }) => {
    const id = await api.create({ name: "x" });
    await api.setShortcut("work", id);
    const { status, body } = await api.request("DELETE", "/targets/WORK");
    expect({ status, body }).toEqual({ status: 200, body: { status: "ok" } });
    expect(await shortcutsOf(api)).toEqual([]);
    expect(await api.outcome("GET", "/nodes/work")).toBe("404 not_found");
    expect(await api.outcome("DELETE", "/targets/work")).toBe("404 not_found");
    expect(sketchOf(await api.export())).toBe("x");
  });

  test("[T10] what is no shortcut can't be taken away", async ({ api }) => {
    await api.create({ parent_id: "inbox", name: "x" });
    for (const key of ["inbox", "Calendar", "today", "tomorrow", "next_week"]) {
      expect(await api.outcome("DELETE", `/targets/${key}`)).toBe("400 invalid_request");
    }
    for (const key of ["nothing", "home", "__proto__"]) {
      expect(await api.outcome("DELETE", `/targets/${key}`)).toBe("404 not_found");
    }
    expect(sketchOf(await api.export())).toBe("Inbox(x)");
  });

  test("[T11] belong to their user", async ({ api, other }) => {
    const id = await api.create({ name: "mine" });
    await api.setShortcut("work", id);
    expect(await shortcutsOf(other)).toEqual([]);
    expect(await other.outcome("GET", "/nodes/work")).toBe("404 not_found");
    expect(await other.outcome("DELETE", "/targets/work")).toBe("404 not_found");
    await other.setShortcut("work", await other.create({ name: "theirs" }));
    expect((await api.node("work")).name).toBe("mine");
    expect((await other.node("work")).name).toBe("theirs");
  });

  test("[T3] deleting and restoring a key makes it the youngest", async ({ api }) => {
    const id = await plant(api, "a b");
    await api.setShortcut("first", id("a"));
    await api.setShortcut("second", id("b"));
    await api.done("DELETE", "/targets/first");
    await api.setShortcut("first", shortIdOf(id("a")));
    expect(await shortcutsOf(api)).toEqual([
      ["second", "b"],
      ["first", "a"],
    ]);
  });
});
