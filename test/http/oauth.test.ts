import { describe, expect, onTestFinished, test as base, vi } from "vitest";
import { startService } from "../support/service.ts";
import { TestClock } from "../api/support/test-clock.ts";
import {
  CALLBACK,
  errorOf,
  form,
  newPkce,
  OAuthPerson,
  register,
  type TokenAnswer,
} from "./oauth-person.ts";

/** A service for each test: who guesses too much waits. */
const test = base
  .extend("options", {})
  .extend("service", async ({ options }, { onCleanup }) => {
    const service = await startService(options);
    onCleanup(() => service.close());
    return service;
  })
  .extend("person", ({ service }) => OAuthPerson.of(service));

async function personAt(
  clock: TestClock,
  store: "memory" | "level" = "memory",
): Promise<OAuthPerson> {
  const service = await startService({ now: clock.now, store });
  onTestFinished(() => service.close());
  return OAuthPerson.of(service);
}

describe("discovery", () => {
  test("[J20] a client without a token finds out where to get one", async ({ service }) => {
    const { status, headers } = await service.request("POST", "/mcp", {}, { key: null });
    const metadata = `${service.url}/.well-known/oauth-protected-resource/mcp`;
    expect([status, headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer resource_metadata="${metadata}"`,
    ]);
    const wrong = await service.request("POST", "/mcp", {}, { key: "oa_nothing" });
    expect(wrong.headers.get("www-authenticate")).toBe(
      `Bearer error="invalid_token", resource_metadata="${metadata}"`,
    );
    // The API is no OAuth resource.
    const api = await service.request("GET", "/api/v1/nodes", undefined, { key: "oa_nothing" });
    expect(api.headers.get("www-authenticate")).toBe("Bearer");
    for (const path of ["", "/mcp"]) {
      const found = await service.request(
        "GET",
        `/.well-known/oauth-protected-resource${path}`,
        undefined,
        { key: null },
      );
      expect(found.body).toMatchObject({
        resource: `${service.url}/mcp`,
        authorization_servers: [service.url],
        scopes_supported: ["read", "write"],
        bearer_methods_supported: ["header"],
      });
    }
    const server = await service.request(
      "GET",
      "/.well-known/oauth-authorization-server",
      undefined,
      { key: null },
    );
    expect(server.body).toMatchObject({
      issuer: service.url,
      authorization_endpoint: `${service.url}/oauth/authorize`,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      token_endpoint_auth_methods_supported: ["none"],
    });
  });

  test("[J20] the issuer is the address that is set, or the host that was asked", async () => {
    const service = await startService({ limits: { publicUrl: "https://outline.example" } });
    onTestFinished(() => service.close());
    const at = async (headers: Record<string, string>) => {
      const path = "/.well-known/oauth-authorization-server";
      return (await service.request("GET", path, undefined, { key: null, headers })).body;
    };
    expect(await at({})).toMatchObject({ issuer: "https://outline.example" });
  });
});

describe("registration", () => {
  test("[J21] a client registers itself, and nothing is kept of it", async ({ service }) => {
    const { status, body } = await register(service, {
      client_name: "My\u202e assistant\n",
      redirect_uris: [CALLBACK, "http://127.0.0.1:1/cb"],
      token_endpoint_auth_method: "none",
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      client_name: "My assistant",
      redirect_uris: [CALLBACK, "http://127.0.0.1:1/cb"],
      token_endpoint_auth_method: "none",
    });
    expect(body).not.toHaveProperty("client_secret");
    const again = await register(service, {
      client_name: "My assistant",
      redirect_uris: [CALLBACK, "http://127.0.0.1:1/cb"],
    });
    expect((again.body as { client_id: string }).client_id).toBe(
      (body as { client_id: string }).client_id,
    );
  });

  test.for([
    ["nothing", {}],
    ["no address", { redirect_uris: [] }],
    ["plain http", { redirect_uris: ["http://assistant.example/cb"] }],
    ["a host that only begins like this machine", { redirect_uris: ["http://localhost.evil/cb"] }],
    ["a script", { redirect_uris: ["javascript:alert(1)"] }],
    ["data", { redirect_uris: ["data:text/html,x"] }],
    ["another scheme", { redirect_uris: ["myapp:/cb"] }],
    ["a fragment", { redirect_uris: [`${CALLBACK}#x`] }],
    ["a user", { redirect_uris: ["https://bank.example@evil.example/"] }],
    ["too many", { redirect_uris: Array.from({ length: 11 }, (_, i) => `${CALLBACK}/${i}`) }],
    ["a long one", { redirect_uris: [`${CALLBACK}/${"x".repeat(1000)}`] }],
  ])("[J21] an address with %s is not registered", async ([, metadata], { service }) => {
    expect(errorOf(await register(service, metadata as object))).toEqual([
      400,
      "invalid_redirect_uri",
    ]);
  });

  test("[J21] more than an id can hold is not registered", async ({ service }) => {
    const redirect_uris = Array.from({ length: 9 }, (_, i) => `${CALLBACK}/${i}${"x".repeat(900)}`);
    expect(errorOf(await register(service, { redirect_uris }))).toEqual([
      400,
      "invalid_client_metadata",
    ]);
    const body = { redirect_uris: [CALLBACK], more: "x".repeat(20_000) };
    expect((await register(service, body)).status).toBe(413);
  });
});

describe("the way to a token", () => {
  test("[J22, J23, J24] a code, tokens, the tools, other tokens, and their end", async ({
    person,
  }) => {
    const pkce = newPkce();
    const query = person.query(pkce);
    const asked = await person.page("request", { query });
    expect(asked.body).toMatchObject({
      client: { name: "Assistant", host: null },
      redirect: { host: "assistant.example", is_local: false },
      scope: "write",
    });
    const agreed = await person.consent(query, { scope: "write" });
    const to = new URL((agreed.body as { to: string }).to);
    expect(`${to.origin}${to.pathname}`).toBe(CALLBACK);
    expect(to.searchParams.get("state")).toBe("a state & more");
    expect(to.searchParams.get("iss")).toBe(person.service.url);
    const code = to.searchParams.get("code") ?? "";
    const traded = await person.trade(code, pkce);
    expect(traded.headers.get("cache-control")).toBe("no-store");
    expect(traded.body).toEqual({
      access_token: expect.stringMatching(/^oa_\w{32}$/) as unknown,
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^or_\w{54}$/) as unknown,
      scope: "read write",
    });
    const first = traded.body as { access_token: string; refresh_token: string };
    expect((await person.mcp(first.access_token)).status).toBe(200);
    expect((await person.keys()).map(({ name }) => name)).toEqual([
      "first key",
      "Assistant (assistant.example)",
    ]);
    const second = (await person.refresh(first.refresh_token)).body as typeof first;
    expect((await person.mcp(second.access_token)).status).toBe(200);
    const revoked = await form(person.service, "/oauth/revoke", { token: second.refresh_token });
    expect(revoked.status).toBe(200);
    expect((await person.mcp(second.access_token)).status).toBe(401);
    expect((await person.mcp(first.access_token)).status).toBe(401);
    expect(errorOf(await person.refresh(second.refresh_token))).toEqual([400, "invalid_grant"]);
    expect((await person.keys()).map(({ name }) => name)).toEqual(["first key"]);
  });

  test("[J22, J23] only what the person chose: reading, a part, a time", async () => {
    const clock = new TestClock();
    const person = await personAt(clock);
    const { service } = person;
    const made = await service.request("POST", "/api/v1/nodes", { name: "part" });
    const { item_id: part } = made.body as { item_id: string };
    await service.request("POST", "/api/v1/nodes", { name: "beside" });
    await service.request("POST", "/api/v1/nodes", { name: "inside", parent_id: part });
    const expiresAt = clock.seconds + 7200;
    const tokens = await person.tokens({ root_id: part, expiresAt });
    expect(tokens.scope).toBe("read");
    const { body } = await service.request("GET", "/api/v1/keys");
    expect((body as { keys: object[] }).keys[1]).toMatchObject({
      scope: "read",
      root_id: part,
      expiresAt,
    });
    const call = async (name: string, args: object) => {
      const params = { name, arguments: args };
      const message = { jsonrpc: "2.0", id: 2, method: "tools/call", params };
      const { body: answer } = await service.request("POST", "/mcp", message, {
        key: tokens.access_token,
      });
      return JSON.stringify(answer);
    };
    const read = await call("outline_read", {});
    expect(read).toContain("inside");
    expect(read).not.toContain("beside");
    expect(await call("outline_add", { text: "x" })).toContain("isError");
    // However often it is refreshed.
    clock.advance(3599);
    const again = (await person.refresh(tokens.refresh_token)).body as typeof tokens;
    expect(again.expires_in).toBe(3600);
    clock.advance(3500);
    const last = (await person.refresh(again.refresh_token)).body as typeof tokens;
    expect(last.expires_in).toBe(101);
    clock.advance(102);
    expect((await person.mcp(last.access_token)).status).toBe(401);
    expect(errorOf(await person.refresh(last.refresh_token))).toEqual([400, "invalid_grant"]);
    const brief = await person.tokens({ expiresAt: clock.seconds + 60 });
    expect(brief.expires_in).toBe(60);
    // A grant that has ended before it begins is none, as when the clock of the person's device is behind.
    for (const ended of [1, clock.seconds - 1, clock.seconds]) {
      const refused = await person.consent(person.query(newPkce()), { expiresAt: ended });
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ message: "expiresAt: in the past." });
    }
  });

  test("[J22] no parameter may stand twice, and thousands of them are looked at once", async ({
    person,
  }) => {
    const query = person.query(newPkce());
    const twice = (await person.page("request", { query: `${query}&x=1&x=2` })).body;
    expect(new URL((twice as { to: string }).to).searchParams.get("error")).toBe("invalid_request");
    const many = Array.from({ length: 2_000 }, (_, index) => `&p${index}`).join("");
    const looks = vi.spyOn(URLSearchParams.prototype, "getAll");
    onTestFinished(() => looks.mockRestore());
    expect((await person.page("request", { query: query + many })).status).toBe(200);
    expect(looks.mock.calls.length).toBeLessThan(20);
  });

  test("[J22] a client gets no more than it asked for, and a refusal when the person says no", async ({
    person,
  }) => {
    const query = person.query(newPkce(), { scope: "read openid" });
    expect((await person.page("request", { query })).body).toMatchObject({ scope: "read" });
    expect((await person.consent(query, { scope: "write" })).status).toBe(403);
    const { body } = await person.page("consent", { query, allow: false });
    const to = new URL((body as { to: string }).to);
    expect([to.searchParams.get("error"), to.searchParams.get("iss")]).toEqual([
      "access_denied",
      person.service.url,
    ]);
    expect(await person.keys()).toHaveLength(1);
    const missing = await person.consent(person.query(newPkce()), { root_id: "nothing" });
    expect(missing.status).toBe(404);
  });

  test("[J23] an access token is good for an hour, a grant that nobody refreshes for 90 days", async () => {
    const clock = new TestClock();
    const person = await personAt(clock);
    const tokens = await person.tokens();
    clock.advance(3599);
    expect((await person.mcp(tokens.access_token)).status).toBe(200);
    clock.advance(1);
    expect((await person.mcp(tokens.access_token)).status).toBe(401);
    const day = 24 * 3600;
    clock.advance(60 * day);
    const again = (await person.refresh(tokens.refresh_token)).body as typeof tokens;
    expect((await person.mcp(again.access_token)).status).toBe(200);
    clock.advance(90 * day);
    expect(errorOf(await person.refresh(again.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  test("[J23] a token ends with its key, and with the key of who agreed", async ({ person }) => {
    const tokens = await person.tokens();
    const [, grant] = await person.keys();
    await person.service.request("DELETE", `/api/v1/keys/${grant?.id}`);
    expect((await person.mcp(tokens.access_token)).status).toBe(401);
    const other = await person.tokens();
    const [first] = await person.keys();
    const outcome = await person.service.request("DELETE", `/api/v1/keys/${first?.id}`);
    expect(outcome.status).toBe(200);
    expect((await person.mcp(other.access_token)).status).toBe(401);
    expect(errorOf(await person.refresh(other.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  test("[J23] nothing of it is stored but hashes", async () => {
    const service = await startService();
    onTestFinished(() => service.close());
    const person = await OAuthPerson.of(service);
    const pkce = newPkce();
    const code = await person.code(pkce);
    const tokens = (await person.trade(code, pkce)).body as { access_token: string };
    const who = await service.accounts.authenticate(service.key);
    if (who === undefined) throw new Error("the key is good");
    const stored = JSON.stringify(await service.store.accounts.keysOf(who.user));
    for (const secret of [code, pkce.verifier, ...Object.values(tokens)]) {
      if (typeof secret === "string" && /^o[acr]_/.test(secret))
        expect(stored).not.toContain(secret);
    }
    expect(stored).not.toContain(pkce.verifier);
  });
});

describe("attacks", () => {
  test("[J24] a code that is used twice ends what it was traded for", async ({ person }) => {
    const pkce = newPkce();
    const code = await person.code(pkce);
    const tokens = (await person.trade(code, pkce)).body as { access_token: string };
    expect((await person.mcp(tokens.access_token)).status).toBe(200);
    // By who has stolen it, without the verifier.
    expect(errorOf(await person.trade(code, newPkce()))).toEqual([400, "invalid_grant"]);
    expect((await person.mcp(tokens.access_token)).status).toBe(401);
    expect(await person.keys()).toHaveLength(1);
  });

  test("[J24] of many who use a code at once at most one gets tokens, and none keeps them", async ({
    person,
  }) => {
    const pkce = newPkce();
    const code = await person.code(pkce);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => person.trade(code, pkce)));
    expect(outcomes.filter(({ status }) => status === 200).length).toBe(1);
    for (const { status, body } of outcomes) {
      const { access_token: token } = body as { access_token: string };
      if (status === 200) expect((await person.mcp(token)).status).toBe(401);
    }
    expect(await person.keys()).toHaveLength(1);
  });

  test("[J24] a code is worth nothing late, with another verifier, client or address", async () => {
    const clock = new TestClock();
    const person = await personAt(clock);
    const other = await register(person.service, { redirect_uris: [CALLBACK], client_name: "B" });
    const { client_id } = other.body as { client_id: string };
    const changes: readonly object[] = [
      { code_verifier: newPkce().verifier },
      { code_verifier: "short" },
      { client_id },
      { redirect_uri: `${CALLBACK}/` },
    ];
    for (const change of changes) {
      const pkce = newPkce();
      const code = await person.code(pkce);
      expect(errorOf(await person.trade(code, pkce, change))).toEqual([400, "invalid_grant"]);
      // Nor for who it was meant for: it has been used.
      expect(errorOf(await person.trade(code, pkce))).toEqual([400, "invalid_grant"]);
      clock.advance(60);
    }
    const pkce = newPkce();
    const late = await person.code(pkce);
    clock.advance(60);
    expect(errorOf(await person.trade(late, pkce))).toEqual([400, "invalid_grant"]);
    expect(await person.keys()).toHaveLength(1);
  });

  test("[J24] a code is worth nothing once the person has signed out", async ({ person }) => {
    const pkce = newPkce();
    const code = await person.code(pkce);
    await person.service.request("DELETE", "/sessions");
    expect(errorOf(await person.trade(code, pkce))).toEqual([400, "invalid_grant"]);
  });

  test("[J25] an earlier refresh token ends the grant", async ({ person }) => {
    const first = await person.tokens();
    const second = (await person.refresh(first.refresh_token)).body as typeof first;
    expect((await person.mcp(second.access_token)).status).toBe(200);
    expect(errorOf(await person.refresh(first.refresh_token))).toEqual([400, "invalid_grant"]);
    expect((await person.mcp(second.access_token)).status).toBe(401);
    expect(errorOf(await person.refresh(second.refresh_token))).toEqual([400, "invalid_grant"]);
    expect(await person.keys()).toHaveLength(1);
  });

  test("[J25] a refresh token is of one client, and no access token", async ({ person }) => {
    const tokens = await person.tokens();
    const outcome = await person.refresh(tokens.refresh_token, { client_id: "another" });
    expect(errorOf(outcome)).toEqual([400, "invalid_grant"]);
    expect(errorOf(await person.refresh(tokens.access_token))).toEqual([400, "invalid_grant"]);
    expect((await person.mcp(tokens.refresh_token)).status).toBe(401);
    expect((await person.refresh(tokens.refresh_token)).status).toBe(200);
  });

  test.for([
    ["left out", { code_challenge: undefined, code_challenge_method: undefined }],
    ["plain", { code_challenge_method: "plain" }],
    ["without its method", { code_challenge_method: undefined }],
    ["too short", { code_challenge: "short" }],
  ] as const)("[J26] a challenge that is %s is sent back", async ([, change], { person }) => {
    const { body } = await person.consent(person.query(newPkce(), change));
    const to = new URL((body as { to: string }).to);
    expect(to.origin).toBe("https://assistant.example");
    expect([to.searchParams.get("error"), to.searchParams.has("code")]).toEqual([
      "invalid_request",
      false,
    ]);
    expect([to.searchParams.get("state"), to.searchParams.get("iss")]).toEqual([
      "a state & more",
      person.service.url,
    ]);
  });

  test("[J26] a code that was asked for with a challenge needs its verifier", async ({
    person,
  }) => {
    const code = await person.code(newPkce());
    const fields = { grant_type: "authorization_code", code, redirect_uri: CALLBACK };
    expect(errorOf(await person.token(fields))).toEqual([400, "invalid_request"]);
  });

  test.for([
    "https://evil.example/callback",
    `${CALLBACK}/`,
    `${CALLBACK}?x=1`,
    `${CALLBACK}/../evil`,
    "https://assistant.example:8443/callback",
    "https://assistant.example.evil.example/callback",
    "HTTPS://assistant.example/callback",
    "javascript:alert(1)",
    "//assistant.example/callback",
    "",
  ])("[J27] nobody is sent to %j, which is not registered", async (redirect_uri, { person }) => {
    const query = person.query(newPkce(), { redirect_uri });
    for (const path of ["request", "consent"]) {
      const { status, body } = await person.page(path, { query, allow: true });
      expect([status, (body as { to?: string }).to]).toEqual([400, undefined]);
    }
  });

  test("[J27] a program on the person's machine may take any port, and nothing else", async ({
    service,
    person,
  }) => {
    const { body } = await register(service, { redirect_uris: ["http://127.0.0.1/cb?a=1"] });
    const { client_id } = body as { client_id: string };
    const statusOf = async (redirect_uri: string) => {
      const query = person.query(newPkce(), { client_id, redirect_uri });
      return (await person.page("request", { query })).status;
    };
    expect(await statusOf("http://127.0.0.1:51234/cb?a=1")).toBe(200);
    expect(await statusOf("http://127.0.0.1/cb?a=1")).toBe(200);
    for (const other of [
      "http://127.0.0.1:51234/cb",
      "http://localhost:51234/cb?a=1",
      "https://127.0.0.1:51234/cb?a=1",
      "http://127.0.0.1:51234@evil.example/cb?a=1",
      "http://127.0.0.1:51234/cb?a=1#x",
    ]) {
      expect([other, await statusOf(other)]).toEqual([other, 400]);
    }
    const query = person.query(newPkce(), {
      client_id,
      redirect_uri: "http://127.0.0.1:5/cb?a=1",
    });
    const answer = (await person.consent(query)).body as { to: string };
    expect(answer.to).toMatch(/^http:\/\/127\.0\.0\.1:5\/cb\?a=1&code=oc_\w{32}&state=/);
  });

  test("[J27] whoever is no client is told nothing but that", async ({ person }) => {
    const forged = `oc1.${Buffer.from('{"n":"x","r":["javascript:alert(1)"]}').toString("base64url")}`;
    for (const client_id of ["", "nobody", forged, `${person.clientId}=`, "http://a.example/c"]) {
      const query = person.query(newPkce(), { client_id });
      expect([client_id, (await person.page("request", { query })).status]).toEqual([
        client_id,
        400,
      ]);
    }
  });

  test("[J28] no other site agrees in a person's name, and none shows the page", async ({
    person,
  }) => {
    const query = person.query(newPkce());
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": undefined, origin: "https://evil.example" },
    ]) {
      const given = Object.fromEntries(
        Object.entries(headers).filter((entry) => entry[1] !== undefined),
      );
      const own = { ...given };
      if (!("sec-fetch-site" in own)) Object.assign(own, { "sec-fetch-site": "none" });
      for (const path of ["request", "consent"]) {
        const { status } = await person.page(path, { query, allow: true }, own);
        expect([path, headers, status]).toEqual([path, headers, 403]);
      }
    }
    expect(await person.keys()).toHaveLength(1);
  });

  test("[J28] who may only read, or sees a part, lets nobody in", async ({ service, person }) => {
    const reader = await service.request("POST", "/api/v1/keys", { name: "r", scope: "read" });
    const { key } = reader.body as { key: string };
    const asReader = await OAuthPerson.of(service, key);
    const query = asReader.query(newPkce());
    expect((await asReader.consent(query)).status).toBe(403);
    const nobody = await service.request(
      "POST",
      "/oauth/consent",
      { query, allow: true },
      {
        key: null,
      },
    );
    expect(nobody.status).toBe(401);
    // Nor does an assistant let in another one.
    const tokens = await person.tokens({ scope: "write" });
    const outcome = await service.request(
      "POST",
      "/oauth/consent",
      { query, allow: true },
      {
        key: tokens.access_token,
      },
    );
    expect(outcome.status).toBe(401);
  });

  test("[J29] a token opens /mcp alone, and is taken from the header alone", async ({ person }) => {
    const { service } = person;
    const { access_token: token } = await person.tokens({ scope: "write" });
    for (const [method, path] of [
      ["GET", "/api/v1/nodes"],
      ["POST", "/api/v1/keys"],
      ["GET", "/sessions"],
      ["GET", "/session"],
    ] as const) {
      const { status } = await service.request(method, path, method === "POST" ? {} : undefined, {
        key: token,
      });
      expect([path, status]).toEqual([path, 401]);
    }
    const signIn = await service.request("POST", "/session", { key: token }, { key: null });
    expect(signIn.status).toBe(401);
    expect((await person.mcp("", `?access_token=${token}`)).status).toBe(401);
    expect((await person.mcp(token)).status).toBe(200);
    // On a connection that has just shown it elsewhere, too.
    const api = await service.request("GET", "/api/v1/nodes", undefined, { key: token });
    expect(api.status).toBe(401);
  });

  test.for(["https://other.example/mcp", "/mcp", "not an address"])(
    "[J29] a token for %s is not made here",
    async (resource, { person }) => {
      const { body } = await person.consent(person.query(newPkce(), { resource }));
      const to = new URL((body as { to: string }).to);
      expect(to.searchParams.get("error")).toBe("invalid_target");
      const pkce = newPkce();
      const outcome = await person.trade(await person.code(pkce), pkce, { resource });
      expect(errorOf(outcome)).toEqual([400, "invalid_target"]);
    },
  );

  test("[J29] a request that names no resource is sent back", async ({ person }) => {
    const { body } = await person.consent(person.query(newPkce(), { resource: undefined }));
    expect(new URL((body as { to: string }).to).searchParams.get("error")).toBe("invalid_target");
  });

  test("[J30, Q122] who guesses tokens waits", async () => {
    const clock = new TestClock();
    const person = await personAt(clock);
    const tokens = await person.tokens();
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess += 1) {
      statuses.push((await person.refresh(`or_${"x".repeat(54 - 2)}${10 + guess}`)).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(400), 429, 429]);
    const waiting = await person.refresh(tokens.refresh_token);
    expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([429, "6"]);
    expect((await form(person.service, "/oauth/revoke", { token: "x" })).status).toBe(429);
    clock.advance(60);
    expect((await person.refresh(tokens.refresh_token)).status).toBe(200);
  });

  test("[J30, Q122] many who refresh at once from one address are no guesses", async () => {
    // On a disk, which takes its time, they are all under way together.
    const person = await personAt(new TestClock(), "level");
    const all: TokenAnswer[] = [];
    for (let client = 0; client < 30; client++) all.push(await person.tokens());
    const refreshed = await Promise.all(all.map((tokens) => person.refresh(tokens.refresh_token)));
    expect(refreshed.map(({ status }) => status)).toEqual(Array<number>(30).fill(200));
  });

  test("[J30] odd requests get an answer of OAuth", async ({ service, person }) => {
    const twice = "grant_type=refresh_token&client_id=a&client_id=b&refresh_token=c";
    expect(errorOf(await form(service, "/oauth/token", twice))).toEqual([400, "invalid_request"]);
    expect(errorOf(await form(service, "/oauth/token", ""))).toEqual([400, "invalid_request"]);
    const password = { grant_type: "password", username: "a", password: "b" };
    expect(errorOf(await person.token(password))).toEqual([400, "unsupported_grant_type"]);
    expect((await service.request("POST", "/oauth/token", undefined, { key: null })).status).toBe(
      400,
    );
    const long = await form(service, "/oauth/token", `code=${"x".repeat(20_000)}`);
    expect(long.status).toBe(413);
    const get = await service.request("GET", "/oauth/token?code=x", undefined, { key: null });
    expect(get.status).toBe(405);
    const state = person.query(newPkce(), { state: "x".repeat(5000) });
    const sentBack = (await person.consent(state)).body as { to: string };
    expect(new URL(sentBack.to).searchParams.get("error")).toBe("invalid_request");
    const doubled = `${person.query(newPkce())}&scope=read&scope=write`;
    const back = (await person.consent(doubled)).body as { to: string };
    expect(new URL(back.to).searchParams.get("error")).toBe("invalid_request");
  });

  test("[J30, Q120] keys and codes of a user stay few, however many are asked for", async () => {
    const clock = new TestClock();
    const person = await personAt(clock);
    const { service } = person;
    for (let count = 0; count < 30; count += 1) await person.code(newPkce());
    const who = await service.accounts.authenticate(service.key);
    if (who === undefined) throw new Error("the key is good");
    expect((await service.store.accounts.keysOf(who.user)).length).toBe(11);
    let { refresh_token: token } = await person.tokens();
    for (let count = 0; count < 10; count += 1) {
      ({ refresh_token: token } = (await person.refresh(token)).body as { refresh_token: string });
    }
    // The first key, ten codes, the key of the grant, and two tokens of it.
    expect((await service.store.accounts.keysOf(who.user)).length).toBe(14);
    for (let count = 2; count < 200; count += 1) {
      await service.accounts.createKey(who.user, { name: `key ${count}` });
    }
    const { status, body } = await person.consent(person.query(newPkce()));
    expect([status, (body as { code: string }).code]).toEqual([409, "too_many_keys"]);
  });

  test("[J30, Q120] grants that have ended make room for new ones", async () => {
    const clock = new TestClock();
    const person = await personAt(clock);
    const { service } = person;
    const who = await service.accounts.authenticate(service.key);
    if (who === undefined) throw new Error("the key is good");
    for (let count = 0; count < 210; count += 1) {
      await person.tokens({ expiresAt: clock.seconds + 5 });
      clock.advance(6);
    }
    expect((await person.keys()).length).toBeLessThanOrEqual(200);
    // The first key, ten codes, and of each grant a key and a token.
    const records = await service.store.accounts.keysOf(who.user);
    expect(records.length).toBeLessThanOrEqual(1 + 10 + 2 * 199);
    expect((await person.mcp((await person.tokens()).access_token)).status).toBe(200);
  });
});
