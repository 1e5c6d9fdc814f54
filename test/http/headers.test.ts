import { expect } from "vitest";
import type { AppFile } from "../../src/http/app-files.ts";
import { RawConnection } from "../support/raw-http.ts";
import { startService, type TestService } from "../support/service.ts";
import { test } from "./http-test.ts";

const NOTHING = "default-src 'none'; frame-ancestors 'none'";
const GUARDS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": NOTHING,
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

/** Of the headers of an answer those that guard it. */
function guardsIn(headers: Pick<Headers, "get">): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.keys(GUARDS).map((name) => [name, headers.get(name)]));
}

test.for([
  ["GET", "/api/v1/nodes", 200],
  ["GET", "/api/v1/nodes-export", 200],
  ["GET", "/api/v1/search?q=", 200],
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
  expect(status).toBe(expected);
  expect(guardsIn(headers)).toEqual(GUARDS);
});

test("[E22] so is a request without a key", async ({ service }) => {
  for (const path of ["/api/v1/nodes", "/api/v1/nothing", "/api/v1/nodes/%zz"]) {
    const { status, headers } = await service.request("GET", path, undefined, { key: null });
    expect(status).toBe(401);
    expect(guardsIn(headers)).toEqual(GUARDS);
  }
});

test.for([
  ["what is no HTTP", "nonsense\r\n\r\n", 400],
  [
    "an upgrade without a key",
    "GET /sync/me HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
    401,
  ],
] as const)("[E22] so is the answer to %s", async ([, bytes, expected], { service }) => {
  const connection = await RawConnection.open(service.url);
  try {
    connection.write(bytes);
    const { status, headers } = await connection.answer();
    expect(status).toBe(expected);
    expect(guardsIn({ get: (name) => headers.get(name) ?? null })).toEqual(GUARDS);
  } finally {
    connection.close();
  }
});

test("[E22] the documentation page may use its own style and nothing else", async ({ service }) => {
  const { headers } = await service.request("GET", "/docs");
  const policy = headers.get("content-security-policy");
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  expect(guardsIn(headers)).toEqual({ ...GUARDS, "content-security-policy": policy });
});

test("[E41] the web app may use what is its own, and nothing that stands in the page", async () => {
  const page: AppFile = {
    path: "/",
    contentType: "text/html; charset=utf-8",
    isImmutable: false,
    forms: { identity: { body: Buffer.from("<!doctype html>"), etag: '"1"' } },
  };
  const service = await startService({ appFiles: [page] });
  try {
    const { headers } = await service.request("GET", "/");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).not.toContain("unsafe");
    expect(policy.split("; ")).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
    );
    expect(guardsIn(headers)).toEqual({
      ...GUARDS,
      "content-security-policy": policy,
      "cache-control": "no-cache",
    });
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
  } finally {
    await service.close();
  }
});

test("[E22] browsers are told to come by TLS only where they came by it", async ({ service }) => {
  const told = async (asked: TestService, path: string): Promise<string | null> => {
    const headers = { "x-forwarded-proto": "https" };
    const answer = await asked.request("GET", path, undefined, { headers });
    return answer.headers.get("strict-transport-security");
  };
  const behindProxy = await startService({ limits: { trustedProxies: "127.0.0.1" } });
  const declared = await startService({ limits: { secureCookies: true } });
  try {
    for (const path of ["/api/v1/nodes", "/api/v1/nothing", "/healthz"]) {
      expect(await told(service, path)).toBe(null);
      expect(await told(behindProxy, path)).toBe("max-age=31536000");
      expect(await told(declared, path)).toBe("max-age=31536000");
    }
    const plain = await behindProxy.request("GET", "/healthz");
    expect(plain.headers.get("strict-transport-security")).toBe(null);
  } finally {
    await Promise.all([behindProxy.close(), declared.close()]);
  }
});
