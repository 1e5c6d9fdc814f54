import { describe, expect } from "vitest";

import { type Answer, type Api, outcomeOf } from "./support/api.ts";
import { test } from "./support/api-test.ts";
import { methodsByRoute, routeRequests } from "./support/routes.ts";

const WORLD = { nodeId: "fedcba987654", shortcut: "nothing", keyId: "nothing" };
const REQUESTS = routeRequests(WORLD);
const ROUTES = methodsByRoute(REQUESTS);

/** A path of each route, about nodes, shortcuts and keys that are not there. */
const PATHS = new Map(REQUESTS.map(({ route, path }) => [route, path.replace(/\?.*/, "")]));

function allowOf(answer: Answer): readonly string[] {
  const methods = (answer.headers.get("allow") ?? "").split(",").map((method) => method.trim());
  return methods.filter((method) => method !== "HEAD" && method !== "OPTIONS").toSorted();
}

describe("without a key that is good", () => {
  test.for<readonly [string, Readonly<Record<string, string>>]>([
    ["no header", {}],
    ["an unknown key", { authorization: "Bearer ok_00000000000000000000000000000000" }],
    ["another scheme", { authorization: "Basic bWU6bWU=" }],
    ["a very long key", { authorization: `Bearer ${"a".repeat(8000)}` }],
    ["__proto__", { authorization: "Bearer __proto__" }],
  ])("[E6] every route is 401: %s", async ([, headers], { api }) => {
    const nobody = api.withKey(undefined);
    for (const { method, path, json } of REQUESTS) {
      const answer = await nobody.request(method, path, {
        headers,
        ...(json === undefined ? {} : { json }),
      });
      expect([method, path, outcomeOf(answer)]).toEqual([method, path, "401 unauthorized"]);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("[E6] the bare key without its scheme, and in the query, is no key", async ({ api }) => {
    const nobody = api.withKey(undefined);
    const key = api.key ?? "";
    for (const authorization of ["", "Bearer", "Bearer ", key, `Basic ${key}`, `Bearer ${key}x`]) {
      const answer = await nobody.request("GET", "/nodes", { headers: { authorization } });
      expect(outcomeOf(answer)).toBe("401 unauthorized");
    }
    for (const name of ["key", "api_key", "token", "access_token"]) {
      expect(await nobody.outcome("GET", `/nodes?${name}=${key}`)).toBe("401 unauthorized");
    }
  });

  test("[E6, E9] it is 401 before anything else is looked at", async ({ api }) => {
    const nobody = api.withKey(undefined);
    const odd = [
      ["GET", "/nothing", {}],
      ["PUT", "/nodes", {}],
      ["POST", "/nodes", { raw: "nonsense" }],
      ["GET", "/nodes/%zz", {}],
      ["GET", "/nodes/fedcba987654", {}],
      ["POST", "/nodes", { json: { name: "a".repeat(1024 * 1024 + 1) } }],
    ] as const;
    for (const [method, path, options] of odd) {
      const answer = await nobody.request(method, path, options);
      expect([method, path, outcomeOf(answer)]).toEqual([method, path, "401 unauthorized"]);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });
});

describe("routes and methods", () => {
  test.for([
    "/nothing",
    "",
    "/",
    "/node",
    "/nodes/fedcba987654/nothing",
    "/nodes/fedcba987654/complete/again",
    "/nodes-export/all",
    "/targets/a/b",
    "/settings/timezone",
    "/keys/a/b",
    "/NODES",
    "//nodes",
  ])("[E7] %j is no route", async (path, { api }) => {
    for (const method of ["GET", "POST", "DELETE", "PUT", "PATCH"]) {
      const outcome = await api.outcome(method, path);
      expect([method, path, outcome]).toEqual([method, path, "404 not_found"]);
    }
  });

  test.for([...ROUTES])(
    "[E8] %s has its methods and no other",
    async ([route, methods], { api }) => {
      const path = PATHS.get(route) ?? "";
      for (const method of ["GET", "POST", "DELETE", "PUT", "PATCH"]) {
        if (methods.has(method)) continue;
        for (const variant of [path, `${path}/`, `${path}?x=1`]) {
          const answer = await api.request(method, variant);
          expect([method, outcomeOf(answer)]).toEqual([method, "405 method_not_allowed"]);
          expect(allowOf(answer)).toEqual([...methods].toSorted());
        }
      }
    },
  );

  test("[E9] the method comes before the body", async ({ api }) => {
    const wrong = { raw: "nonsense", headers: { "content-type": "application/json" } };
    for (const [method, path] of [
      ["PUT", "/nodes"],
      ["DELETE", "/nodes"],
      ["PATCH", "/nodes/fedcba987654"],
      ["DELETE", "/settings"],
    ] as const) {
      expect(outcomeOf(await api.request(method, path, wrong))).toBe("405 method_not_allowed");
    }
    expect(outcomeOf(await api.request("POST", "/nothing", wrong))).toBe("404 not_found");
  });
});

describe("the body and the nodes", () => {
  const WRONG: readonly (readonly [path: string, json: object])[] = [
    ["/nodes", { parent_id: "nowhere" }],
    ["/nodes", { parent_id: "nowhere", name: 5 }],
    ["/nodes", { parent_id: "nowhere", name: "x", layoutMode: "h 4" }],
    ["/nodes", { parent_id: "nowhere", name: "x", position: "middle" }],
    ["/nodes", { parent_id: "nowhere", name: "x", completed: "yes" }],
    ["/nodes", { parent_id: "nowhere", name: "x", note: 5 }],
    ["/nodes/nowhere", { name: 5 }],
    ["/nodes/nowhere", { layoutMode: "h 4" }],
    ["/nodes/nowhere", { completed: 1 }],
    ["/nodes/nowhere/move", { position: "middle" }],
    ["/nodes/nowhere/move", { parent_id: 5 }],
    ["/targets", { key: "today", id: "nowhere" }],
    ["/targets", { id: "nowhere" }],
    ["/keys", { root_id: "nowhere" }],
    ["/keys", { name: "x", scope: "all", root_id: "nowhere" }],
  ];

  test.for(WRONG)(
    "[E9] POST %s %o: the fields come before the nodes",
    async ([path, json], { api }) => {
      expect(await api.outcome("POST", path, json)).toBe("400 invalid_request");
    },
  );

  test("[E9] a size over its limit comes before the nodes", async ({ api }) => {
    const big = "a".repeat(1024 * 1024 + 1);
    const outcome = (path: string, json: object) => api.outcome("POST", path, json);
    expect(await outcome("/nodes", { parent_id: "nowhere", name: big })).toBe("413 too_large");
    expect(await outcome("/nodes/nowhere", { note: big })).toBe("413 too_large");
  });

  test("[E9] a body that is no JSON comes before the nodes", async ({ api }) => {
    const wrong = async (refuser: Api, path: string) =>
      outcomeOf(await refuser.request("POST", path, { raw: "nonsense" }));
    expect(await wrong(api, "/nodes/nowhere")).toBe("400 invalid_request");
    expect(await wrong(api, "/nodes/nowhere/move")).toBe("400 invalid_request");
  });

  test("[E9] a move of an unknown node is 404 before its parent is looked at", async ({ api }) => {
    const id = await api.create({ name: "x" });
    expect(await api.outcome("POST", "/nodes/nowhere/move", { parent_id: id })).toBe(
      "404 not_found",
    );
    expect(await api.outcome("POST", `/nodes/${id}/move`, { parent_id: "nowhere" })).toBe(
      "404 not_found",
    );
  });
});
