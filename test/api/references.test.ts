import { describe, expect } from "vitest";

import { outcomeOf, pathOf, shortIdOf } from "./support/api.ts";
import { test } from "./support/api-test.ts";
import { dayName } from "./support/calendar-names.ts";
import { NODE_ROUTES, REFERENCE_ROUTES } from "./support/reference-routes.ts";
import { plant, sketchOf } from "./support/sketch.ts";

/** Ways to write the reference to an ordinary node; more of them stand in `test/core/reference.test.ts`. */
const FORMS: readonly (readonly [rule: string, form: (id: string) => string])[] = [
  ["[R1, R6] the full id", (id) => id],
  ["[R3, R6] the short id in capitals", (id) => shortIdOf(id).toUpperCase()],
  ["[R4, R6] a URL with a query behind", (id) => `https://app.example/#/${shortIdOf(id)}?q=%23tag`],
  ["[R5, R6] a shortcut key in capitals", () => "WORK"],
];

/** References to nothing, for a user whose nodes are all new. */
const UNKNOWN = [
  ["[R12] an id that is none", "01234567-89ab-8def-8123-456789abcdef"],
  ["[R12] a short id that is none", "fedcba987654"],
  ["[R12] a URL without a node", "https://app.example/"],
  ["[R12] a shortcut that is none", "nowhere"],
  ["[R11] February 30", "2026-02-30"],
  ["[R14] __proto__", "__proto__"],
] as const;

describe.each(FORMS)("%s", (rule, form) => {
  test.for(REFERENCE_ROUTES)(`${rule} works in $name`, async (route, { api }) => {
    const id = await plant(api, "scratch place(node(below) next)");
    await api.setShortcut("work", id("node"));
    const answer = await route.request(api, form(id("node")), id("scratch"));
    expect(outcomeOf(answer)).toBe("200");
    await route.check(api, id("node"), id("scratch"), answer);
  });
});

test.for(UNKNOWN)("%s is unknown everywhere: %j", async ([, reference], { api }) => {
  const scratch = await api.create({ name: "scratch" });
  const before = await api.state();
  for (const route of REFERENCE_ROUTES) {
    const answer = await route.request(api, reference, scratch);
    expect([route.name, outcomeOf(answer)]).toEqual([route.name, "404 not_found"]);
  }
  expect(await api.state()).toEqual(before);
});

describe("the top level", () => {
  const NAMES = ["None", "none", "NONE", "root", "Root", "ROOT", "home", "Home", ""];

  test.for([undefined, null, ...NAMES])(
    "[R7, R8] %j is the top level as a parent",
    async (reference, { api }) => {
      const id = await plant(api, "a(b)");
      const fields = reference === undefined ? {} : { parent_id: reference };
      await api.create({ ...fields, name: "new" });
      await api.move(id("b"), { ...fields, position: "bottom" });
      expect(sketchOf(await api.export())).toBe("new a b");
      const listed = await api.children(reference ?? undefined);
      expect(listed.map((node) => node.name)).toEqual(["new", "a", "b"]);
    },
  );

  test("[R7] a move without any body goes to the top of the top level", async ({ api }) => {
    const id = await plant(api, "a(b)");
    const answer = await api.request("POST", `${pathOf(id("b"))}/move`);
    expect([answer.status, answer.body]).toEqual([200, { status: "ok" }]);
    expect(sketchOf(await api.export())).toBe("b a");
  });

  test("[R7] the query text null is the top level, in any case", async ({ api }) => {
    await plant(api, "a(b) c");
    for (const text of ["null", "NULL"]) {
      expect((await api.children(text)).map((node) => node.name)).toEqual(["a", "c"]);
    }
  });

  test("[R8] home is the shortcut of that name while there is one", async ({ api }) => {
    const id = await plant(api, "a(b) c");
    await api.setShortcut("home", id("a"));
    expect((await api.children("home")).map((node) => node.name)).toEqual(["b"]);
    expect((await api.node("HOME")).id).toBe(id("a"));
    await api.create({ parent_id: "Home", name: "new" });
    await api.move(id("c"), { parent_id: "home" });
    expect(sketchOf(await api.export())).toBe("a(c new b)");
    await api.done("DELETE", "/targets/home");
    expect((await api.children("home")).map((node) => node.name)).toEqual(["a"]);
    await api.create({ parent_id: "home", name: "top" });
    expect(sketchOf(await api.export())).toBe("top a(c new b)");
  });

  test("[R8] home is the top level again when its node is gone", async ({ api }) => {
    const id = await plant(api, "a b");
    await api.setShortcut("home", id("a"));
    await api.remove(id("a"));
    expect((await api.children("home")).map((node) => node.name)).toEqual(["b"]);
    expect(await api.outcome("GET", "/nodes/home")).toBe("404 not_found");
  });

  test.for(NODE_ROUTES)("[R9] is no node to $name", async (route, { api }) => {
    const scratch = await api.create({ name: "scratch" });
    const before = await api.state();
    const root = `${scratch.slice(0, -12)}000000000000`;
    for (const reference of ["None", "none", "root", "ROOT", "null", "home", root]) {
      const answer = await route.request(api, reference, scratch);
      expect([reference, outcomeOf(answer)]).toEqual([reference, "404 not_found"]);
    }
    expect(await api.state()).toEqual(before);
  });

  test("[R9] can't have a shortcut", async ({ api }) => {
    for (const id of ["None", "root", "home"]) {
      expect(await api.outcome("POST", "/targets", { key: "top", id })).toBe("404 not_found");
    }
    expect((await api.targets()).length).toBe(5);
  });
});

describe("system nodes", () => {
  /** References that mean a node of the chain for Friday 2026-11-20 or near it. */
  const SYSTEM = [
    ["INBOX", "Inbox"],
    ["Calendar", "📆 Calendar"],
    ["tomorrow", "2026-11-21"],
    ["2026-11", "November"],
    ["9999-12-31", "9999-12-31"],
  ] as const;

  test.for(SYSTEM)("[R10] %s is known everywhere", async ([reference, meaning], { api }) => {
    for (const route of REFERENCE_ROUTES) {
      // Made anew for each route: some of them delete it or carry it off.
      const inner = await api.create({ parent_id: reference, name: "inner" });
      const id = (await api.node(inner)).parent_id ?? "";
      const scratch = await api.create({ name: "scratch" });
      const answer = await route.request(api, reference, scratch);
      expect([route.name, outcomeOf(answer)]).toEqual([route.name, "200"]);
      await route.check(api, id, scratch, answer);
    }
    await api.create({ parent_id: reference, name: "inner" });
    const name = /^\d{4}-\d\d-\d\d$/.test(meaning) ? dayName(meaning) : meaning;
    expect((await api.node(reference)).name).toBe(name);
  });

  test("[R10] the short id and the id of a system node mean it too", async ({ api }) => {
    const inner = await api.create({ parent_id: "today", name: "inner" });
    const day = await api.node((await api.node(inner)).parent_id ?? "");
    expect(await api.node(shortIdOf(day.id))).toEqual(day);
    expect(await api.node("today")).toEqual(day);
    expect((await api.children(`https://x.example/#/${shortIdOf(day.id)}`))[0]?.id).toBe(inner);
  });
});
