import { describe, expect } from "vitest";

import { test } from "./support/api-test.ts";
import { routeRequests } from "./support/routes.ts";
import { plant } from "./support/sketch.ts";

describe("a read-only key", () => {
  test("[A66] reads everything and changes nothing", async ({ api }) => {
    const id = await plant(api, "a(b) c");
    await api.setShortcut("pointer", id("a"));
    const reader = await api.keyed({ name: "reader", scope: "read" });
    const before = await api.state();
    const world = { nodeId: id("b"), shortcut: "pointer", keyId: reader.keyId };
    for (const { method, path, json, writes } of routeRequests(world)) {
      const outcome = await reader.outcome(method, path, json);
      expect([method, path, outcome]).toEqual([method, path, writes ? "403 forbidden" : "200"]);
    }
    expect(await api.state()).toEqual(before);
    expect(await reader.export()).toEqual(await api.export());
    expect(await reader.targets()).toEqual(await api.targets());
  });

  test("[A66] makes no system node", async ({ api }) => {
    const reader = await api.keyed({ name: "reader", scope: "read" });
    for (const parent_id of ["inbox", "today", "2026"]) {
      expect(await reader.outcome("POST", "/nodes", { parent_id, name: "x" })).toBe(
        "403 forbidden",
      );
    }
    expect(await api.export()).toEqual([]);
  });

  test("[A66] can't make itself or another key one that writes", async ({ api }) => {
    const reader = await api.keyed({ name: "reader", scope: "read" });
    expect(await reader.outcome("POST", "/keys", { name: "x", scope: "write" })).toBe(
      "403 forbidden",
    );
    expect(await reader.outcome("DELETE", `/keys/${reader.keyId}`)).toBe("403 forbidden");
    expect((await api.keys()).length).toBe(2);
  });

  test("[A66, E9] is told about unknown routes and methods first", async ({ api }) => {
    const reader = await api.keyed({ name: "reader", scope: "read" });
    expect(await reader.outcome("POST", "/nothing")).toBe("404 not_found");
    expect(await reader.outcome("PUT", "/nodes")).toBe("405 method_not_allowed");
  });
});
