import { expect } from "vitest";
import { startService } from "../support/service.ts";
import { test } from "./http-test.ts";

test("[E20] HEAD answers what GET does, without its body", async ({ service }) => {
  await service.request("POST", "/api/v1/nodes", { name: "häd" });
  for (const path of [
    "/api/v1/nodes",
    "/api/v1/targets",
    "/api/v1/search?q=",
    "/healthz",
    "/openapi.json",
    "/docs",
  ]) {
    const get = await service.request("GET", path);
    const head = await service.request("HEAD", path);
    const seen = ({ status, headers }: typeof get) => [
      status,
      headers.get("content-type"),
      headers.get("content-length"),
    ];
    expect([path, seen(head), head.body]).toEqual([path, seen(get), ""]);
    expect(get.status).toBe(200);
  }
});

test("[E20] HEAD of what is refused is refused", async ({ service }) => {
  expect((await service.request("HEAD", "/api/v1/nodes/nothing")).status).toBe(404);
  expect((await service.request("HEAD", "/api/v1/nothing")).status).toBe(404);
  const { status } = await service.request("HEAD", "/api/v1/nodes", undefined, { key: null });
  expect(status).toBe(401);
});

test("[E20] HEAD of the export takes nothing from the limit", async () => {
  const service = await startService();
  try {
    for (let round = 0; round < 3; round += 1) {
      const { status, headers } = await service.request("HEAD", "/api/v1/nodes-export");
      expect([status, headers.get("content-type")]).toEqual([
        200,
        "application/json; charset=utf-8",
      ]);
    }
    expect((await service.request("GET", "/api/v1/nodes-export")).status).toBe(200);
    expect((await service.request("GET", "/api/v1/nodes-export")).status).toBe(429);
  } finally {
    await service.close();
  }
});

test.for([
  ["/api/v1/nodes", "GET, HEAD, OPTIONS, POST"],
  ["/api/v1/nodes/x", "DELETE, GET, HEAD, OPTIONS, POST"],
  ["/api/v1/nodes/x/move", "OPTIONS, POST"],
  ["/api/v1/nodes-export", "GET, HEAD, OPTIONS"],
] as const)("[E21] OPTIONS of %s says %s", async ([path, allow], { service }) => {
  const { status, headers, body } = await service.request("OPTIONS", path);
  expect([status, headers.get("allow"), body]).toEqual([200, allow, { status: "ok" }]);
});

test("[E21] OPTIONS asks for the key, and for a route, as every method does", async ({
  service,
}) => {
  const nobody = { key: null };
  expect((await service.request("OPTIONS", "/api/v1/nodes", undefined, nobody)).status).toBe(401);
  expect((await service.request("OPTIONS", "/api/v1/nothing")).status).toBe(404);
  expect((await service.request("OPTIONS", "/healthz", undefined, nobody)).status).toBe(200);
});

test("[E8] odd methods are methods too", async ({ service }) => {
  for (const method of ["PROPFIND", "PURGE", "LOCK", "QUERY", "SEARCH"]) {
    const { status, headers, body } = await service.request(method, "/api/v1/settings", "nonsense");
    expect([method, status, headers.get("allow"), (body as { code: string }).code]).toEqual([
      method,
      405,
      "GET, HEAD, OPTIONS, POST",
      "method_not_allowed",
    ]);
  }
});

test("[E7] a version that a client asks for makes no difference", async ({ service }) => {
  const options = { headers: { "accept-version": "2.x" } };
  expect((await service.request("GET", "/api/v1/nodes", undefined, options)).status).toBe(200);
});
