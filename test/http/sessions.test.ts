import { once } from "node:events";
import { expect, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { UserId } from "../../src/accounts/account-store.ts";
import type { ServiceAnswer, TestService } from "../support/service.ts";
import { test } from "./http-test.ts";

const NOBODY = { key: null };
const OWN_PAGE = { "sec-fetch-site": "same-origin" };

interface Listed {
  readonly id: string;
  readonly current: boolean;
  readonly browser: string;
}

function codeOf({ status, body }: ServiceAnswer): string {
  return status === 200 ? "200" : `${status} ${(body as { code: string }).code}`;
}

function asBrowser(service: TestService, cookie: string) {
  return (method: string, path: string, body?: unknown): Promise<ServiceAnswer> =>
    service.request(method, path, body, { ...NOBODY, headers: { cookie, ...OWN_PAGE } });
}

async function listed(answer: Promise<ServiceAnswer>): Promise<readonly Listed[]> {
  const { status, body } = await answer;
  expect(status).toBe(200);
  return (body as { sessions: readonly Listed[] }).sessions;
}

async function newKey(service: TestService, more: object = {}) {
  const { body } = await service.request("POST", "/api/v1/keys", { name: "k", ...more });
  return body as { id: string; key: string };
}

/** The websocket of a page. */
async function openSocket(service: TestService, cookie: string): Promise<WebSocket> {
  const socket = new WebSocket(`${service.url.replace("http", "ws")}/sync/me`, ["outline.v1"], {
    headers: { cookie, origin: service.url },
  });
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  return socket;
}

async function codeOfEnd(socket: WebSocket): Promise<unknown> {
  const [code] = await once(socket, "close");
  return code;
}

test("[A45] the sessions are listed, oldest first, the one that asks marked", async ({
  service,
}) => {
  const { key, id: keyId } = await newKey(service);
  const first = await service.signIn(key, "Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0");
  const second = await service.signIn(key, "<script>alert(1)</script>");
  const answer = await asBrowser(service, second)("GET", "/sessions");
  const sessions = (await listed(Promise.resolve(answer))).slice(-2);
  expect(sessions).toEqual([
    {
      id: expect.stringMatching(/^session_\w{16}$/) as unknown,
      key_id: keyId,
      browser: "Firefox on Linux",
      current: false,
      createdAt: expect.any(Number) as unknown,
      lastUsedAt: expect.any(Number) as unknown,
      expiresAt: expect.any(Number) as unknown,
    },
    expect.objectContaining({ browser: "script alert 1 script", current: true }),
  ]);
  expect(JSON.stringify(answer.body)).not.toContain(first.split("=")[1]);
  const byKey = await listed(service.request("GET", "/sessions"));
  expect(byKey.map(({ current }) => current)).not.toContain(true);
  expect(byKey.slice(-2).map(({ id }) => id)).toEqual(sessions.map(({ id }) => id));
});

test("[A45, A46] a key that may only read sees its own session, and ends none", async ({
  service,
}) => {
  const { key } = await newKey(service, { scope: "read" });
  await service.signIn();
  const reader = asBrowser(service, await service.signIn(key));
  const [own, ...others] = await listed(reader("GET", "/sessions"));
  expect([own?.current, others]).toEqual([true, []]);
  expect(await listed(service.request("GET", "/sessions", undefined, { key }))).toEqual([]);
  for (const path of ["/sessions", `/sessions/${own?.id}`]) {
    expect(codeOf(await reader("DELETE", path))).toBe("403 forbidden");
  }
  expect(codeOf(await reader("DELETE", "/session"))).toBe("200");
  expect(codeOf(await reader("GET", "/sessions"))).toBe("401 unauthorized");
});

test("[A45, A46] a key limited to a part neither sees nor ends sessions", async ({ service }) => {
  const { body } = await service.request("POST", "/api/v1/nodes", { name: "part" });
  const { item_id: root_id } = body as { item_id: string };
  const { key } = await newKey(service, { root_id });
  for (const [method, path] of [
    ["GET", "/sessions"],
    ["DELETE", "/sessions"],
    ["DELETE", "/sessions/session_x"],
  ] as const) {
    const answer = await service.request(method, path, undefined, { key });
    expect([method, path, codeOf(answer)]).toEqual([method, path, "403 forbidden"]);
  }
});

test("[A32] a sign-out ends the session and its websockets, for good", async ({ service }) => {
  const cookie = await service.signIn();
  const other = await service.signIn();
  const browse = asBrowser(service, cookie);
  expect(codeOf(await browse("GET", "/api/v1/nodes"))).toBe("200");
  const closed = codeOfEnd(await openSocket(service, cookie));
  expect(codeOf(await browse("DELETE", "/session"))).toBe("200");
  expect(await closed).toBe(4401);
  expect(codeOf(await browse("GET", "/session"))).toBe("401 unauthorized");
  expect(codeOf(await browse("GET", "/api/v1/nodes"))).toBe("401 unauthorized");
  // Whoever was signed out already is told the same.
  expect(codeOf(await browse("DELETE", "/session"))).toBe("200");
  expect(codeOf(await asBrowser(service, other)("GET", "/session"))).toBe("200");
});

test("[A46] one session is ended by another, or by a key, with its websockets", async ({
  service,
}) => {
  const [cookie, mine] = [await service.signIn(), await service.signIn()];
  const all = await listed(asBrowser(service, cookie)("GET", "/sessions"));
  const id = all.find(({ current }) => current)?.id ?? "";
  const [gone, stays] = [await openSocket(service, cookie), await openSocket(service, mine)];
  const closed = codeOfEnd(gone);
  const { key: stranger } = await service.newUser(`stranger-${Date.now()}`);
  const path = `/sessions/${id}`;
  const byStranger = await service.request("DELETE", path, undefined, { key: stranger });
  expect(codeOf(byStranger)).toBe("404 not_found");
  expect(codeOf(await asBrowser(service, mine)("DELETE", path))).toBe("200");
  expect(await closed).toBe(4401);
  expect(codeOf(await asBrowser(service, mine)("DELETE", path))).toBe("404 not_found");
  expect(codeOf(await asBrowser(service, cookie)("GET", "/session"))).toBe("401 unauthorized");
  expect(stays.readyState).toBe(WebSocket.OPEN);
});

test("[A46] all sessions end at once, or all but the one that asks", async ({ service }) => {
  const cookies = [await service.signIn(), await service.signIn(), await service.signIn()];
  const [first, second] = cookies.map((cookie) => asBrowser(service, cookie));
  expect(codeOf((await first?.("DELETE", "/sessions?others=true")) as ServiceAnswer)).toBe("200");
  expect(await listed(first?.("GET", "/sessions") as Promise<ServiceAnswer>)).toHaveLength(1);
  expect(codeOf((await second?.("GET", "/session")) as ServiceAnswer)).toBe("401 unauthorized");
  await service.signIn();
  const key = await service.request("DELETE", "/sessions");
  expect(codeOf(key)).toBe("200");
  expect(await listed(service.request("GET", "/sessions"))).toEqual([]);
  expect(codeOf(await service.request("DELETE", "/sessions"))).toBe("200");
  expect(codeOf((await first?.("GET", "/session")) as ServiceAnswer)).toBe("401 unauthorized");
});

test("[A33] no other site ends a session", async ({ service }) => {
  const cookie = await service.signIn();
  const [{ id } = { id: "" }] = await listed(service.request("GET", "/sessions"));
  for (const path of ["/sessions", `/sessions/${id}`, "/session"]) {
    const headers = { cookie, "sec-fetch-site": "same-site" };
    const answer = await service.request("DELETE", path, undefined, { ...NOBODY, headers });
    expect([path, codeOf(answer)]).toEqual([path, "403 forbidden"]);
  }
  expect(codeOf(await asBrowser(service, cookie)("GET", "/session"))).toBe("200");
});

test("[A43] a token is no key, and a key is no token", async ({ service }) => {
  const cookie = await service.signIn();
  const [name, token = ""] = cookie.split("=");
  const asKey = await service.request("GET", "/api/v1/nodes", undefined, { key: token });
  expect(codeOf(asKey)).toBe("401 unauthorized");
  const asToken = asBrowser(service, `${name}=${service.key}`);
  expect(codeOf(await asToken("GET", "/api/v1/nodes"))).toBe("401 unauthorized");
  expect(codeOf(await asToken("GET", "/session"))).toBe("401 unauthorized");
});

test("[A41] two sessions at once are refused, and a sign-out ends both", async ({ service }) => {
  const [mine, planted] = [await service.signIn(), await service.signIn()];
  for (const cookie of [`${mine}; ${planted}`, `${planted}; ${mine}`, `${mine}; ${mine}`]) {
    const browse = asBrowser(service, cookie);
    for (const [method, path] of [
      ["GET", "/session"],
      ["GET", "/api/v1/nodes"],
      ["POST", "/api/v1/nodes"],
    ] as const) {
      const body = method === "POST" ? { name: "x" } : undefined;
      expect(codeOf(await browse(method, path, body))).toBe("400 invalid_request");
    }
  }
  expect(codeOf(await asBrowser(service, `${mine}; ${planted}`)("DELETE", "/session"))).toBe("200");
  for (const cookie of [mine, planted]) {
    expect(codeOf(await asBrowser(service, cookie)("GET", "/session"))).toBe("401 unauthorized");
  }
});

test("[A31] a browser that signs in again leaves no session behind", async ({ service }) => {
  const cookie = await service.signIn();
  const headers = { cookie, ...OWN_PAGE };
  const options = { ...NOBODY, headers };
  const before = await listed(service.request("GET", "/sessions"));
  const wrong = await service.request("POST", "/session", { key: "ok_nonsense" }, options);
  expect(codeOf(wrong)).toBe("401 unauthorized");
  expect(codeOf(await asBrowser(service, cookie)("GET", "/session"))).toBe("200");
  const again = await service.request("POST", "/session", { key: service.key }, options);
  expect(codeOf(again)).toBe("200");
  expect(codeOf(await asBrowser(service, cookie)("GET", "/session"))).toBe("401 unauthorized");
  const after = await listed(service.request("GET", "/sessions"));
  expect(after).toHaveLength(before.length);
});

test("[A47] a cookie of the first version is given a session in its place", async ({ service }) => {
  const { key, id } = await newKey(service);
  const old = `theme=dark; outline_session=${key}`;
  const browse = asBrowser(service, old);
  // Nothing else takes a key from a cookie.
  expect(codeOf(await browse("GET", "/api/v1/nodes"))).toBe("401 unauthorized");
  const socket = new WebSocket(`${service.url.replace("http", "ws")}/sync/me`, ["outline.v1"], {
    headers: { cookie: old, origin: service.url },
  });
  await expect(once(socket, "open")).rejects.toThrow("401");

  const answer = await browse("GET", "/session");
  expect([answer.status, answer.body]).toMatchObject([200, { user: service.user, scope: "write" }]);
  const [session = "", removed] = answer.headers.getSetCookie();
  expect(session).toMatch(/^outline_session_test=os_\w{32}; Path=\/; Max-Age=15552000; HttpOnly/);
  expect(removed).toMatch(/^outline_session=; Path=\/; Max-Age=0; HttpOnly/);
  const cookie = session.split(";")[0] ?? "";
  expect(codeOf(await asBrowser(service, cookie)("GET", "/session"))).toBe("200");
  await openSocket(service, cookie);
  // With both, as until the browser has heard: the session counts, and there is not another one.
  const both = await asBrowser(service, `${old}; ${cookie}`)("GET", "/session");
  expect([codeOf(both), both.headers.getSetCookie()]).toEqual(["200", []]);

  await service.request("DELETE", `/api/v1/keys/${id}`);
  const after = await browse("GET", "/session");
  expect([codeOf(after), after.headers.getSetCookie()]).toEqual(["401 unauthorized", []]);
});

test("[A47] nor is there one for a key that opens no replica", async ({ service }) => {
  const { body } = await service.request("POST", "/api/v1/nodes", { name: "part" });
  const { item_id: root_id } = body as { item_id: string };
  const { key } = await newKey(service, { root_id });
  const answer = await asBrowser(service, `outline_session=${key}`)("GET", "/session");
  expect([codeOf(answer), answer.headers.getSetCookie()]).toEqual(["403 forbidden", []]);
});

test("[A32, A47] a sign-out takes the cookie of the first version along", async ({ service }) => {
  const answer = await asBrowser(service, `outline_session=${service.key}`)("DELETE", "/session");
  expect(codeOf(answer)).toBe("200");
  expect(answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0])).toEqual([
    "outline_session_test=",
    "outline_session=",
  ]);
});

test("[A71, Q21] what a key may not make is refused with the reason", async ({ service }) => {
  const expiresAt = Math.floor(Date.now() / 1000) + 1000;
  const { key } = await newKey(service, { expiresAt });
  const make = (more: object) =>
    service.request("POST", "/api/v1/keys", { name: "child", ...more }, { key });
  expect(codeOf(await make({ expiresAt: expiresAt + 1 }))).toBe("400 invalid_request");
  expect(codeOf(await make({ expiresAt }))).toBe("200");
  expect(codeOf(await make({ scope: "read" }))).toBe("200");
  const { key: other, user } = await service.newUser(`many-keys-${Date.now()}`);
  for (let index = 2; index < 200; index++) {
    await service.accounts.createKey(user as UserId, { name: "k" });
  }
  const another = () => service.request("POST", "/api/v1/keys", { name: "k" }, { key: other });
  expect(codeOf(await another())).toBe("200");
  expect(codeOf(await another())).toBe("409 too_many_keys");
});
