import { expect, test } from "vitest";
import { readSession, signOut } from "../../../../client/app/page/session.ts";
import { signIn } from "../../../../client/app/sign-in/sign-in.ts";
import { finishSignOut, isSignOutPending } from "../../../../client/app/sign-in/finish-sign-out.ts";
import { startService } from "../../../support/service.ts";
import { testStorage } from "./test-storage.ts";

const OUTLINE = "0123456789ab8cdea123";

/** A server that answers this to everything, and what it was asked. */
function answering(status: number, body: unknown) {
  const asked: unknown[] = [];
  const ask: typeof fetch = async (path, options) => {
    asked.push([options?.method, path, options?.body]);
    return new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
  };
  return { ask, asked };
}

const nobody: typeof fetch = () => Promise.reject(new TypeError("no network"));

test.for([
  [
    200,
    { outline: OUTLINE, user: "me", scope: "read" },
    { kind: "session", outline: OUTLINE, user: "me", scope: "read" },
  ],
  [401, { code: "unauthorized" }, { kind: "signed_out" }],
  [403, { code: "forbidden" }, { kind: "limited" }],
  [400, { code: "invalid_request" }, { kind: "ambiguous" }],
  [503, { code: "unavailable" }, { kind: "unreachable" }],
  [200, { outline: "nonsense", user: "me", scope: "write" }, { kind: "unreachable" }],
  [200, "<html>a captive portal</html>", { kind: "unreachable" }],
] as const)("[W71] a session answered %i %j", async ([status, body, expected]) => {
  expect(await readSession(answering(status, body).ask)).toEqual(expected);
});

test("[W71] a server that is away is no sign-out", async () => {
  expect(await readSession(nobody)).toEqual({ kind: "unreachable" });
});

test("[W70] the key goes into the body of one request", async () => {
  const { ask, asked } = answering(200, { status: "ok" });
  expect(await signIn(ask, "ok_secret")).toEqual({ kind: "signed_in" });
  expect(asked).toEqual([["POST", "/session", '{"key":"ok_secret"}']]);
});

test.for([
  [401, { code: "unauthorized" }, { kind: "wrong_key" }],
  [400, { code: "invalid_request" }, { kind: "wrong_key" }],
  [429, { code: "rate_limited", retry_after: 6 }, { kind: "wait", seconds: 6 }],
  [500, {}, { kind: "unreachable" }],
] as const)("[W70] a sign-in answered %i", async ([status, body, expected]) => {
  expect(await signIn(answering(status, body).ask, "x")).toEqual(expected);
});

test("[W70] signing in and out at the real service", async () => {
  const service = await startService();
  let cookie = "";
  const ask: typeof fetch = async (_path, options) => {
    const response = await fetch(`${service.url}/session`, {
      ...options,
      headers: { cookie, "sec-fetch-site": "same-origin" },
    });
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    return response;
  };
  try {
    expect(await signIn(ask, "ok_nonsense")).toEqual({ kind: "wrong_key" });
    expect(await readSession(ask)).toEqual({ kind: "signed_out" });
    expect(await signIn(ask, service.key)).toEqual({ kind: "signed_in" });
    expect(await readSession(ask)).toMatchObject({ kind: "session", user: "me", scope: "write" });
    expect(await signOut(ask)).toBe(true);
    expect(await readSession(ask)).toEqual({ kind: "signed_out" });
  } finally {
    await service.close();
  }
});

test("[W84] a sign-out without a network is finished before anything is opened again", async () => {
  const storage = testStorage({ "sign-out": true });
  expect(await finishSignOut(storage, nobody)).toBe(false);
  expect(isSignOutPending(storage)).toBe(true);
  const { ask, asked } = answering(200, { status: "ok" });
  expect(await finishSignOut(storage, ask)).toBe(true);
  expect(asked).toEqual([["DELETE", "/session", undefined]]);
  expect(isSignOutPending(storage)).toBe(false);
});
