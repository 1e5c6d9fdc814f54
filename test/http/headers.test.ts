import { expect } from "vitest";
import { test } from "./http-test.ts";

test.for([
  ["GET", "/api/v1/nodes", 200],
  ["GET", "/api/v1/nodes-export", 200],
  ["GET", "/api/v1/nodes/nothing", 404],
  ["GET", "/api/v1/nothing", 404],
  ["PUT", "/api/v1/nodes", 405],
  ["POST", "/api/v1/nodes", 400],
  ["GET", "/api/v1/nodes/%zz", 400],
  ["GET", "/healthz", 200],
  ["GET", "/metrics", 200],
  ["GET", "/openapi.json", 200],
  ["POST", "/session", 400],
] as const)("[E22] %s %s is guarded by headers", async ([method, path, expected], { service }) => {
  const { status, headers } = await service.request(method, path);
  expect({
    status,
    type: headers.get("x-content-type-options"),
    cache: headers.get("cache-control"),
  }).toEqual({
    status: expected,
    type: "nosniff",
    cache: "no-store",
  });
});

test("[E22] so is a request without a key", async ({ service }) => {
  for (const path of ["/api/v1/nodes", "/api/v1/nothing", "/api/v1/nodes/%zz"]) {
    const { status, headers } = await service.request("GET", path, undefined, { key: null });
    expect([status, headers.get("cache-control")]).toEqual([401, "no-store"]);
  }
});

test("[E22] what is shown as text may load nothing and be in no frame", async ({ service }) => {
  const { headers } = await service.request("GET", "/metrics");
  expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
});

test("[E22] the documentation page may use its own style and nothing else", async ({ service }) => {
  const { headers } = await service.request("GET", "/docs");
  expect(headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});
