import { describe, expect } from "vitest";
import { WebSocket } from "ws";

import { type Api, outcomeOf, shortIdOf } from "./support/api.ts";
import { test } from "./support/api-test.ts";
import { NODE_ROUTES, REFERENCE_ROUTES } from "./support/reference-routes.ts";
import { plant, sketchOf } from "./support/sketch.ts";

interface Fenced {
  readonly id: (name: string) => string;
  /** Reaches `yard` and what is below it. */
  readonly inside: Api;
}

/** `before(hidden) house(yard(tree(nest) bench) street) after`, and a key for the yard. */
async function fenced(api: Api, scope: "read" | "write" = "write"): Promise<Fenced> {
  const id = await plant(api, "before(hidden) house(yard(tree(nest) bench) street) after");
  return { id, inside: await api.keyed({ name: "yard", scope, root_id: id("yard") }) };
}

/** The routes without the one that a key of this kind may not use at all. */
const ROUTES = REFERENCE_ROUTES.filter((route) => route.name !== "key");

describe("a key limited to a subtree", () => {
  test("[A67] exports the subtree, its root at the top", async ({ api }) => {
    const { id, inside } = await fenced(api);
    const whole = await api.export();
    const nodes = whole.filter(({ name }) => ["yard", "tree", "nest", "bench"].includes(name));
    expect(await inside.export()).toEqual(
      nodes.map((node) =>
        node.id === id("yard") ? { ...node, parent_id: null, priority: 100 } : node,
      ),
    );
  });

  test("[A68] lists the children of the root as its top level", async ({ api }) => {
    const { id, inside } = await fenced(api);
    const expected = await api.children(id("yard"));
    expect(expected.map((node) => node.name)).toEqual(["tree", "bench"]);
    for (const parent of [undefined, "", "None", "null", "root", "home", id("yard")]) {
      expect(await inside.children(parent)).toEqual(expected);
    }
  });

  test("[A68] retrieves the root without its parent and place", async ({ api }) => {
    const { id, inside } = await fenced(api);
    await api.create({ parent_id: id("house"), name: "garage" });
    const yard = await api.node(id("yard"));
    expect([yard.parent_id, yard.priority]).toEqual([id("house"), 200]);
    expect(await inside.node(id("yard"))).toEqual({ ...yard, parent_id: null, priority: 100 });
    expect(await inside.node(id("tree"))).toEqual(await api.node(id("tree")));
  });

  test("[A68] creates in the root and moves there when no parent is given", async ({ api }) => {
    const { id, inside } = await fenced(api);
    for (const parent_id of [undefined, null, "", "None", "root", "home"]) {
      await inside.create({ parent_id, name: "new", position: "bottom" });
    }
    await inside.move(id("nest"), {});
    expect(sketchOf(await api.export())).toBe(
      "before(hidden) house(yard(nest tree bench new new new new new new) street) after",
    );
  });

  test.for(ROUTES)("[A67] works on its own nodes in $name", async (route, { api }) => {
    const root = await api.create({ name: "root" });
    const inside = await api.keyed({ name: "inside", root_id: root });
    const id = await plant(inside, "node(below) place");
    // A limited key makes none, and points anew what leads into its part (A39).
    await api.setShortcut("pointer", root);
    const answer = await route.request(inside, shortIdOf(id("node")), id("place"));
    expect(outcomeOf(answer)).toBe("200");
    await route.check(inside, id("node"), id("place"), answer);
  });

  test.for(["hidden", "house", "street"])(
    "[A67] does not know %s, which is outside",
    async (name, { api }) => {
      const { id, inside } = await fenced(api);
      await api.setShortcut("outside", id(name));
      const before = await api.state();
      const outside = id(name);
      const references = [
        outside,
        outside.replaceAll("-", "").toUpperCase(),
        shortIdOf(outside),
        `https://app.example/#/${shortIdOf(outside)}`,
        "outside",
      ];
      for (const reference of references) {
        for (const route of ROUTES) {
          const answer = await route.request(inside, reference, id("bench"));
          const what = [route.name, reference];
          expect([...what, outcomeOf(answer)]).toEqual([...what, "404 not_found"]);
        }
      }
      expect(await api.state()).toEqual(before);
    },
  );

  test("[A68] its root is no node by the names of the top level", async ({ api }) => {
    const { id, inside } = await fenced(api);
    const before = await api.state();
    for (const route of NODE_ROUTES) {
      for (const reference of ["None", "root", "home"]) {
        const answer = await route.request(inside, reference, id("bench"));
        expect([route.name, outcomeOf(answer)]).toEqual([route.name, "404 not_found"]);
      }
    }
    expect(await api.state()).toEqual(before);
  });

  test("[A68] its root can't be moved", async ({ api }) => {
    const { id, inside } = await fenced(api);
    const before = await api.state();
    for (const parent_id of [null, id("yard"), id("nest")]) {
      const outcome = await inside.outcome("POST", `/nodes/${id("yard")}/move`, { parent_id });
      expect(outcome).toBe("400 invalid_parent");
    }
    expect(await api.state()).toEqual(before);
  });

  test("[A67] loses what is moved out and gains what is moved in", async ({ api }) => {
    const { id, inside } = await fenced(api);
    await api.move(id("tree"), { parent_id: id("street") });
    expect(await inside.outcome("GET", `/nodes/${id("nest")}`)).toBe("404 not_found");
    await api.move(id("hidden"), { parent_id: id("bench") });
    expect((await inside.node(id("hidden"))).name).toBe("hidden");
    expect(sketchOf(await inside.export())).toBe("yard(bench(hidden))");
  });

  test("[A69] sees only the targets in the subtree", async ({ api }) => {
    const { id, inside } = await fenced(api);
    await api.create({ parent_id: "inbox", name: "x" });
    await api.create({ parent_id: "today", name: "x" });
    await api.setShortcut("out", id("street"));
    await api.setShortcut("in", id("nest"));
    await api.setShortcut("edge", id("yard"));
    const system = ["inbox", "calendar", "today", "tomorrow", "next_week"];
    expect(await inside.targets()).toEqual([
      ...system.map((key) => ({ key, type: "system", name: null })),
      { key: "in", type: "shortcut", name: "nest" },
      { key: "edge", type: "shortcut", name: "yard" },
    ]);
    expect(await inside.outcome("DELETE", "/targets/out")).toBe("404 not_found");
    expect(await inside.outcome("DELETE", "/targets/in")).toBe("200");
    expect((await api.node("out")).name).toBe("street");
  });

  test.for(["inbox", "calendar", "today", "2026-11"])(
    "[A69] neither makes nor reaches %s outside",
    async (key, { api }) => {
      const { id, inside } = await fenced(api);
      const refusedEverywhere = async () => {
        const before = await api.state();
        for (const route of ROUTES) {
          const answer = await route.request(inside, key, id("bench"));
          expect([route.name, outcomeOf(answer)]).toEqual([route.name, "404 not_found"]);
        }
        expect(await api.state()).toEqual(before);
      };
      await refusedEverywhere();
      await api.create({ parent_id: key, name: "x" });
      await refusedEverywhere();
    },
  );

  test("[A69] of the calendar makes its years, months and days", async ({ api }) => {
    await api.create({ parent_id: "2026-10", name: "x" });
    const inside = await api.keyed({ name: "calendar", root_id: "calendar" });
    await inside.create({ parent_id: "2026-11", name: "y" });
    expect(sketchOf(await inside.export())).toBe("📆 Calendar(2026(October(x) November(y)))");
    expect((await inside.targets())[1]).toEqual({
      key: "calendar",
      type: "system",
      name: "📆 Calendar",
    });
    expect(await inside.outcome("POST", "/nodes", { parent_id: "inbox", name: "z" })).toBe(
      "404 not_found",
    );
  });

  test("[A70] neither sees nor changes keys, nor changes settings", async ({ api }) => {
    const { inside } = await fenced(api);
    const before = await api.state();
    const [first] = await api.keys();
    expect(await inside.outcome("GET", "/keys")).toBe("403 forbidden");
    expect(await inside.outcome("POST", "/keys", { name: "full" })).toBe("403 forbidden");
    expect(await inside.outcome("DELETE", `/keys/${first?.id}`)).toBe("403 forbidden");
    expect(await inside.outcome("POST", "/settings", { weekStart: 3 })).toBe("403 forbidden");
    expect(await inside.settings()).toEqual({ timezone: "UTC", weekStart: 1 });
    expect(await api.state()).toEqual(before);
  });

  test("[A70] has no websocket", async ({ api, service }) => {
    const { inside } = await fenced(api);
    const url = `${service.url.replace(/^http/, "ws")}/sync/me`;
    const socket = new WebSocket(url, ["yjs", inside.key ?? ""]);
    const status = await new Promise((resolve, reject) => {
      socket.on("unexpected-response", (_request, response) => resolve(response.statusCode));
      socket.on("open", () => reject(new Error("was let in")));
      socket.on("error", reject);
    });
    socket.on("error", () => undefined);
    socket.terminate();
    expect(status).toBe(403);
  });

  test("[A66, A67] that only reads reads the subtree only", async ({ api }) => {
    const { id, inside } = await fenced(api, "read");
    expect(sketchOf(await inside.export())).toBe("yard(tree(nest) bench)");
    expect(await inside.outcome("GET", `/nodes/${id("street")}`)).toBe("404 not_found");
    expect(await inside.outcome("POST", `/nodes/${id("tree")}`, { name: "x" })).toBe(
      "403 forbidden",
    );
    expect(await inside.outcome("POST", "/nodes", { name: "x" })).toBe("403 forbidden");
  });
});
