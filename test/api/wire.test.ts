import { request as httpRequest } from "node:http";

import { describe, expect } from "vitest";

import { type Api, outcomeOf } from "./support/api.ts";
import { test } from "./support/api-test.ts";
import { type RouteRequest, routeRequests } from "./support/routes.ts";
import { plant, sketchOf } from "./support/sketch.ts";

async function requestsOf(api: Api): Promise<readonly RouteRequest[]> {
  const nodeId = await api.create({ name: "node" });
  await api.create({ name: "above" });
  await api.setShortcut("pointer", nodeId);
  const { keyId } = await api.keyed({ name: "spare" });
  return routeRequests({ nodeId, shortcut: "pointer", keyId });
}

const bytes = (text: string) => new TextEncoder().encode(text);

/** A request without `fetch`'s own content type: bytes have none. */
function bodyOf(json: object | undefined): { readonly raw?: Uint8Array<ArrayBuffer> } {
  return json === undefined ? {} : { raw: bytes(JSON.stringify(json)) };
}

describe("every route", () => {
  test("[E2] answers a success with 200 and JSON", async ({ api }) => {
    for (const { method, path, json } of await requestsOf(api)) {
      const answer = await api.request(method, path, json === undefined ? {} : { json });
      expect([method, path, answer.status]).toEqual([method, path, 200]);
      expect(answer.headers.get("content-type")).toMatch(/^application\/json(; charset=utf-8)?$/);
    }
  });

  test("[E13] accepts a trailing slash", async ({ api }) => {
    for (const { method, path, json } of await requestsOf(api)) {
      const answer = await api.request(method, `${path}/`, json === undefined ? {} : { json });
      expect([method, path, answer.status]).toEqual([method, path, 200]);
    }
  });

  test("[E13] accepts a trailing slash before a query", async ({ api }) => {
    const id = await plant(api, "a(b)");
    const { body } = await api.request("GET", `/nodes/?parent_id=${id("a")}`);
    expect(body).toEqual({ nodes: [await api.node(id("b"))] });
  });

  test("[E10] ignores unknown fields of body and query", async ({ api }) => {
    const unknown = { nonsense: [1, { a: null }], id: 5, parentId: "x", createdAt: "yesterday" };
    for (const { method, path, json, route } of await requestsOf(api)) {
      const body = route === "/targets" ? { nonsense: unknown, ...json } : { ...unknown, ...json };
      const options = method === "POST" ? { json: body } : {};
      const answer = await api.request(
        method,
        `${path}${path.includes("?") ? "&" : "?"}nonsense=1&limits=x`,
        options,
      );
      expect([method, path, answer.status]).toEqual([method, path, 200]);
    }
  });

  test("[E11] accepts an empty body with a JSON content type where no field is needed", async ({
    api,
  }) => {
    const headers = { "content-type": "application/json" };
    for (const { method, path, route } of await requestsOf(api)) {
      const needsFields =
        method === "POST" && ["/nodes", "/batch", "/targets", "/keys"].includes(route);
      const options = method === "GET" ? { headers } : { headers, raw: "" };
      const outcome = outcomeOf(await api.request(method, path, options));
      expect([method, path, outcome]).toEqual([
        method,
        path,
        needsFields ? "400 invalid_request" : "200",
      ]);
    }
  });

  test("[E11] a body of null is no body", async ({ api }) => {
    for (const { method, path, route } of await requestsOf(api)) {
      if (method === "GET") continue;
      const needsFields =
        method === "POST" && ["/nodes", "/batch", "/targets", "/keys"].includes(route);
      const outcome = outcomeOf(await api.request(method, path, { raw: "null" }));
      const expected = needsFields ? "400 invalid_request" : "200";
      expect([method, path, outcome]).toEqual([method, path, expected]);
    }
  });

  test("[E11] a body of GET is not looked at", async ({ api, service }) => {
    const id = await api.create({ name: "x" });
    for (const body of ["", "{}", '{"parent_id":"nowhere"}', "nonsense"]) {
      for (const path of ["/nodes", `/nodes/${id}`, "/nodes-export", "/targets"]) {
        // `fetch` refuses to send such a request; programs in other languages do.
        const status = await new Promise((resolve, reject) => {
          const request = httpRequest(`${service.url}/api/v1${path}`, {
            headers: {
              authorization: `Bearer ${api.key}`,
              "content-type": "application/json",
              "content-length": body.length,
            },
          });
          request.on("error", reject);
          request.on("response", (response) => {
            response.resume();
            resolve(response.statusCode);
          });
          request.end(body);
        });
        expect([path, body, status]).toEqual([path, body, 200]);
      }
    }
  });

  test.for([
    undefined,
    "application/json",
    "application/json; charset=utf-8",
    "text/plain",
    "application/x-www-form-urlencoded",
    "nonsense",
  ])("[E12] reads its body as JSON when the content type is %s", async (contentType, { api }) => {
    const headers: Record<string, string> =
      contentType === undefined ? {} : { "content-type": contentType };
    for (const { method, path, json } of await requestsOf(api)) {
      if (method === "GET") continue;
      const answer = await api.request(method, path, { headers, ...bodyOf(json) });
      expect([method, path, answer.status]).toEqual([method, path, 200]);
    }
    expect(sketchOf(await api.export())).toBe("new above");
  });
});

describe("bodies", () => {
  test("[E10] a __proto__ in a body is an unknown field", async ({ api }) => {
    const raw = '{"__proto__":{"layoutMode":"h1","completed":true},"name":"x"}';
    const answer = await api.request("POST", "/nodes", { raw });
    expect(answer.status).toBe(200);
    const [node] = await api.children();
    expect([node?.name, node?.data.layoutMode, node?.completed]).toEqual(["x", "bullets", false]);
    const constructor = '{"constructor":{"prototype":{"note":"y"}},"name":"y"}';
    expect((await api.request("POST", "/nodes", { raw: constructor })).status).toBe(200);
    expect((await api.children())[0]?.note).toBe(null);
  });

  test("[E10] a body on a route that takes none is ignored", async ({ api }) => {
    const id = await api.create({ name: "x" });
    const json = { name: "y", completed: false, completedAt: 5 };
    expect(outcomeOf(await api.request("POST", `/nodes/${id}/complete`, { json }))).toBe("200");
    expect((await api.node(id)).name).toBe("x");
    expect((await api.node(id)).completed).toBe(true);
  });

  test.for([
    ["no JSON", "nonsense"],
    ["a form", "name=x&parent_id=None"],
    ["an array", '[{"name":"x"}]'],
    ["a string", '"x"'],
  ] as const)("[E5] that are %s are refused", async ([, raw], { api }) => {
    const requests = await requestsOf(api);
    const before = await api.state();
    const headers = { "content-type": "application/json" };
    for (const { method, path, json } of requests) {
      if (json === undefined) continue;
      const outcome = outcomeOf(await api.request(method, path, { raw, headers }));
      expect([method, path, outcome]).toEqual([method, path, "400 invalid_request"]);
    }
    expect(await api.state()).toEqual(before);
  });

  test("[E2] take and give every character of Unicode", async ({ api }) => {
    const name = "ß 日本語 עברית 👩‍👩‍👧 \u{1F4C6} \u00A0 e\u0301 \u2028";
    const id = await api.create({ name: `${name}.` });
    expect((await api.node(id)).name).toBe(`${name}.`);
  });

  test("[E16] broken percent-encoding in a path or a query is refused", async ({ api }) => {
    const id = await api.create({ name: "x" });
    const requests = [
      ["GET", "/nodes/%"],
      ["GET", "/nodes/%zz"],
      ["GET", "/nodes/%E0%A4%A"],
      ["GET", "/nodes/%ff"],
      ["POST", "/nodes/%zz"],
      ["DELETE", "/nodes/%zz"],
      ["POST", "/nodes/%zz/move"],
      ["POST", "/nodes/%zz/complete"],
      ["DELETE", "/targets/%zz"],
      ["DELETE", "/keys/%zz"],
      ["GET", "/nodes?parent_id=%zz"],
      ["GET", "/nodes?parent_id=%E0%A4%A"],
    ] as const;
    for (const [method, path] of requests) {
      const outcome = await api.outcome(method, path);
      expect([method, path, outcome]).toEqual([method, path, "400 invalid_request"]);
    }
    expect((await api.export()).map((node) => node.id)).toEqual([id]);
  });
});

describe("odd requests", () => {
  test("[E19, E28] JSON nested deep in an unknown field is ignored, or refused when very deep", async ({
    api,
  }) => {
    const outcome = async (raw: string) => outcomeOf(await api.request("POST", "/nodes", { raw }));
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(await outcome(`{"name":"x","deep":${nested(900)}}`)).toBe("200");
    expect(await outcome(`{"name":${nested(900)}}`)).toBe("400 invalid_request");
    expect(await outcome(`{"name":"y","deep":${nested(100_000)}}`)).toBe("400 invalid_request");
    expect(sketchOf(await api.export())).toBe("x");
  });

  test("[E19] a parameter that is given twice is refused", async ({ api }) => {
    const id = await plant(api, "a b");
    const path = `/nodes?parent_id=${id("a")}&parent_id=${id("b")}`;
    expect(await api.outcome("GET", path)).toBe("400 invalid_request");
  });

  test("[E19] a reference of 8,000 characters is unknown", async ({ api }) => {
    await api.create({ name: "x" });
    const long = "a".repeat(8000);
    expect(await api.outcome("GET", `/nodes/${long}`)).toBe("404 not_found");
    expect(await api.outcome("GET", `/nodes?parent_id=${long}`)).toBe("404 not_found");
    expect(await api.outcome("POST", "/nodes", { name: "y", parent_id: long })).toBe(
      "404 not_found",
    );
  });

  test.for([
    "..%2f..%2fetc%2fpasswd",
    "%00",
    "a%00b",
    "%2e%2e%2f",
    "%0d%0aX-Evil:%201",
    "%EF%BF%BD",
  ])("[E19] the reference %s is unknown", async (reference, { api }) => {
    expect(await api.outcome("GET", `/nodes/${reference}`)).toBe("404 not_found");
    expect(await api.outcome("GET", `/nodes?parent_id=${reference}`)).toBe("404 not_found");
  });
});
