import { describe, expect } from "vitest";

import { outcomeOf, shortIdOf } from "./support/api.ts";
import { test } from "./support/api-test.ts";
import { REFERENCE_ROUTES } from "./support/reference-routes.ts";
import { plant, sketchOf } from "./support/sketch.ts";

describe("another user's nodes", () => {
  test.for([
    ["the id", (id: string) => id],
    ["the id in capitals", (id: string) => id.toUpperCase()],
    ["the id without dashes", (id: string) => id.replaceAll("-", "")],
    ["the short id", shortIdOf],
    ["a URL with the id", (id: string) => `https://app.example/#/${id}`],
    ["a URL with the short id", (id: string) => `https://app.example/#/${shortIdOf(id)}`],
    ["a shortcut", () => "theirs"],
  ] as const)("[R13] are unknown everywhere by %s", async ([, form], { api, other }) => {
    const id = await plant(other, "a(b) c");
    await other.setShortcut("theirs", id("a"));
    const scratch = await api.create({ name: "scratch" });
    const before = [await api.state(), await other.state()];
    for (const route of REFERENCE_ROUTES) {
      const answer = await route.request(api, form(id("a")), scratch);
      expect([route.name, outcomeOf(answer)]).toEqual([route.name, "404 not_found"]);
    }
    expect([await api.state(), await other.state()]).toEqual(before);
  });

  test("[R13] are unknown as system nodes too, which are not made for the asker", async ({
    api,
    other,
  }) => {
    const ids: string[] = [];
    for (const parent_id of ["inbox", "calendar", "2026", "2026-11", "today"]) {
      const inner = await other.create({ parent_id, name: "inner" });
      ids.push((await other.node(inner)).parent_id ?? "");
    }
    const scratch = await api.create({ name: "scratch" });
    const before = [await api.state(), await other.state()];
    for (const id of ids) {
      for (const route of REFERENCE_ROUTES) {
        const answer = await route.request(api, id, scratch);
        expect([route.name, outcomeOf(answer)]).toEqual([route.name, "404 not_found"]);
      }
    }
    expect([await api.state(), await other.state()]).toEqual(before);
  });

  test("[R13] one's own last 12 digits do not make another's id known", async ({ api, other }) => {
    const theirs = await other.create({ name: "theirs" });
    const mine = await api.create({ name: "mine" });
    const mixed = theirs.slice(0, -12) + shortIdOf(mine);
    for (const route of REFERENCE_ROUTES) {
      const answer = await route.request(api, mixed, mine);
      expect([route.name, outcomeOf(answer)]).toEqual([route.name, "404 not_found"]);
    }
    expect(sketchOf(await api.export())).toBe("mine");
  });

  test("[R13] are in no list, export or target", async ({ api, other }) => {
    await other.create({ parent_id: "inbox", name: "theirs" });
    await other.setShortcut("theirs", "inbox");
    await api.create({ name: "mine" });
    expect(sketchOf(await api.export())).toBe("mine");
    expect((await api.children()).map((node) => node.name)).toEqual(["mine"]);
    expect((await api.targets()).map(({ key, name }) => [key, name])).toEqual([
      ["inbox", null],
      ["calendar", null],
      ["today", null],
      ["tomorrow", null],
      ["next_week", null],
    ]);
    expect(sketchOf(await other.export())).toBe("Inbox(theirs)");
  });
});
