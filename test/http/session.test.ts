import { expect } from "vitest";
import { TestClock } from "../api/support/test-clock.ts";
import { RawConnection } from "../support/raw-http.ts";
import { startService, type ServiceAnswer, type TestService } from "../support/service.ts";
import { test } from "./http-test.ts";

const NOBODY = { key: null };
const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

function codeOf({ status, body }: ServiceAnswer): string {
  return status === 200 ? "200" : `${status} ${(body as { code: string }).code}`;
}

function signIn(service: TestService, key: string, headers: Record<string, string> = {}) {
  return service.request("POST", "/session", { key }, { ...NOBODY, headers });
}

/** A request of a browser that has the cookie and nothing else. */
async function browse(
  service: TestService,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<string> {
  const cookie = `theme=dark; ${await service.signIn()}`;
  const body = method === "GET" ? undefined : { name: "x" };
  return codeOf(
    await service.request(method, path, body, { ...NOBODY, headers: { cookie, ...headers } }),
  );
}

test("[A31] a sign-in sets a cookie with a token of its own", async ({ service }) => {
  const { status, headers, body } = await signIn(service, service.key);
  expect([status, body]).toEqual([200, { status: "ok" }]);
  const set = headers.get("set-cookie") ?? "";
  expect(set).toMatch(
    /^outline_session_test=os_[0-9A-Za-z]{32}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict$/,
  );
  expect(set).not.toContain(service.key);
  const cookie = set.split(";")[0] ?? "";
  const read = await service.request("GET", "/api/v1/nodes", undefined, {
    ...NOBODY,
    headers: { cookie },
  });
  expect(read.status).toBe(200);
});

test("[A31] a bad key is 401 and sets no cookie", async ({ service }) => {
  const answer = await signIn(service, "ok_00000000000000000000000000000000");
  expect([codeOf(answer), answer.headers.get("set-cookie")]).toEqual(["401 unauthorized", null]);
});

test.for([undefined, {}, { key: 5 }, { key: "" }, { key: ["a"] }, [], "nonsense"])(
  "[A31] %j is no sign-in",
  async (body, { service }) => {
    const answer = await service.request("POST", "/session", body, NOBODY);
    expect([codeOf(answer), answer.headers.get("set-cookie")]).toEqual([
      "400 invalid_request",
      null,
    ]);
  },
);

test("[A32] a sign-out takes the cookie away", async ({ service }) => {
  const { status, headers, body } = await service.request("DELETE", "/session", undefined, NOBODY);
  expect([status, body]).toEqual([200, { status: "ok" }]);
  expect(headers.get("set-cookie")).toBe(
    "outline_session_test=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
  );
});

test("[A30] a header of no use is not made up for by the cookie", async ({ service }) => {
  expect(await browse(service, "GET", "/api/v1/nodes", {})).toBe("200");
  for (const authorization of ["Bearer nonsense", "Basic eDp5", "Bearer"]) {
    expect(await browse(service, "GET", "/api/v1/nodes", { authorization })).toBe(
      "401 unauthorized",
    );
  }
});

test("[A33] what a cookie changes must come from the service's own pages", async ({ service }) => {
  const { host } = new URL(service.url);
  const own = [SAME_ORIGIN, { origin: service.url }, { origin: `https://${host}` }];
  const foreign = [
    {},
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: `http://${host}.evil.example` },
    { "sec-fetch-site": "cross-site", origin: service.url },
  ];
  for (const headers of own) {
    expect([headers, await browse(service, "POST", "/api/v1/nodes", headers)]).toEqual([
      headers,
      "200",
    ]);
  }
  const before = await service.request("GET", "/api/v1/nodes");
  for (const headers of foreign) {
    for (const [method, path] of [
      ["POST", "/api/v1/nodes"],
      ["POST", "/api/v1/nodes/inbox"],
      ["DELETE", "/api/v1/nodes/inbox"],
      ["POST", "/api/v1/keys"],
      ["POST", "/api/v1/settings"],
    ] as const) {
      const outcome = await browse(service, method, path, headers);
      expect([headers, method, path, outcome]).toEqual([headers, method, path, "403 forbidden"]);
    }
    expect(await browse(service, "GET", "/api/v1/nodes", headers)).toBe("200");
  }
  expect((await service.request("GET", "/api/v1/nodes")).body).toEqual(before.body);
});

test("[A33] a key in the header is asked for no origin", async ({ service }) => {
  const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  const answer = await service.request("POST", "/api/v1/nodes", { name: "x" }, { headers });
  expect(answer.status).toBe(200);
});

test("[A33] no other site signs anyone in or out", async ({ service }) => {
  for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
    for (const [method, body] of [
      ["POST", { key: service.key }],
      ["DELETE", undefined],
    ] as const) {
      const answer = await service.request(method, "/session", body, { ...NOBODY, headers });
      expect([codeOf(answer), answer.headers.get("set-cookie")]).toEqual(["403 forbidden", null]);
    }
  }
  expect((await signIn(service, service.key, SAME_ORIGIN)).status).toBe(200);
});

test("[A34] the eleventh wrong key in a minute has to wait, wherever it is shown", async () => {
  const clock = new TestClock();
  const service = await startService({ now: clock.now });
  const use = (key: string) => service.request("GET", "/api/v1/nodes", undefined, { key });
  try {
    const { key: other } = await service.newUser("other");
    for (let round = 0; round < 5; round += 1) {
      expect((await signIn(service, service.key)).status).toBe(200);
      expect((await signIn(service, `wrong-${round}`)).status).toBe(401);
      expect((await use(`wrong-too-${round}`)).status).toBe(401);
    }
    const refused = await signIn(service, other);
    expect([codeOf(refused), refused.headers.get("retry-after")]).toEqual([
      "429 rate_limited",
      "6",
    ]);
    expect(refused.headers.get("set-cookie")).toBe(null);
    expect(codeOf(await use(other))).toBe("429 rate_limited");
    expect(codeOf(await use("wrong-again"))).toBe("429 rate_limited");
    // What was shown before, right or wrong, is no guess.
    expect((await use(service.key)).status).toBe(200);
    expect(codeOf(await use("wrong-0"))).toBe("401 unauthorized");
    clock.advance(6);
    expect((await signIn(service, other)).status).toBe(200);
  } finally {
    await service.close();
  }
});

/** The outcome of one failed sign-in after another, each said to come from another address. */
async function forgedSignIns(service: TestService): Promise<readonly string[]> {
  const outcomes: string[] = [];
  for (let round = 0; round < 12; round += 1) {
    const headers = { "x-forwarded-for": `10.0.0.${round}`, "x-real-ip": `10.0.0.${round}` };
    outcomes.push(codeOf(await signIn(service, `nonsense-${round}`, headers)));
  }
  return outcomes;
}

test("[A35] nobody gets around the limit by saying to be a proxy", async () => {
  const service = await startService();
  try {
    expect((await forgedSignIns(service)).slice(-2)).toEqual([
      "429 rate_limited",
      "429 rate_limited",
    ]);
  } finally {
    await service.close();
  }
});

test("[A35, A36] a trusted proxy's word counts for address and encryption", async () => {
  const service = await startService({ limits: { trustedProxies: "127.0.0.1" } });
  try {
    expect(new Set(await forgedSignIns(service))).toEqual(new Set(["401 unauthorized"]));
    const { headers } = await signIn(service, service.key, { "x-forwarded-proto": "https" });
    expect(headers.get("set-cookie")).toMatch(/^__Host-outline_session_.*; Secure$/);
    const own = { origin: "https://outline.example", "x-forwarded-host": "outline.example" };
    const byTls = { ...own, "x-forwarded-proto": "https" };
    const [cookie = ""] = (headers.get("set-cookie") ?? "").split(";");
    const answer = await service.request(
      "POST",
      "/api/v1/nodes",
      { name: "x" },
      { ...NOBODY, headers: { ...byTls, cookie } },
    );
    expect(answer.status).toBe(200);
    // A cookie without the prefix may be of any program of the host.
    expect(await browse(service, "POST", "/api/v1/nodes", byTls)).toBe("401 unauthorized");
  } finally {
    await service.close();
  }
});

test("[A35, A36] anybody else's does not", async ({ service }) => {
  const { headers } = await signIn(service, service.key, { "x-forwarded-proto": "https" });
  expect(headers.get("set-cookie")).not.toMatch(/Secure/);
  const forged = { origin: "https://evil.example", "x-forwarded-host": "evil.example" };
  expect(await browse(service, "POST", "/api/v1/nodes", forged)).toBe("403 forbidden");
});

test("[A36] the cookie is secure when the server is set so", async () => {
  const service = await startService({ limits: { secureCookies: true } });
  try {
    const { headers } = await signIn(service, service.key);
    expect(headers.get("set-cookie")).toMatch(/^__Host-outline_session_.*; Path=\/; .*; Secure$/);
  } finally {
    await service.close();
  }
});

test("[A30] a connection is known by what each of its requests says", async ({ service }) => {
  const { key: other } = await service.newUser("on-the-same-connection");
  const connection = await RawConnection.open(service.url);
  const ask = async (headers: Record<string, string>): Promise<number> => {
    connection.request("GET /api/v1/nodes", headers);
    return (await connection.answer()).status;
  };
  const cookie = await service.signIn();
  try {
    expect(await ask({ authorization: `Bearer ${service.key}` })).toBe(200);
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: "Bearer nonsense" })).toBe(401);
    expect(await ask({ cookie })).toBe(200);
    expect(await ask({ authorization: `Basic ${service.key}`, cookie })).toBe(401);
    await service.request("POST", "/api/v1/nodes", { name: "x" }, { key: other });
    connection.request("GET /api/v1/nodes", { authorization: `Bearer ${other}` });
    const { body } = await connection.answer();
    expect((JSON.parse(body) as { nodes: unknown[] }).nodes.length).toBe(1);
  } finally {
    connection.close();
  }
});
