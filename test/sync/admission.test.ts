import { expect, test } from "vitest";
import { ClientAddresses } from "../../src/accounts/client-address.ts";
import { sessionCookieName } from "../../src/accounts/session-cookie.ts";
import { ConnectionWatch } from "../../src/sync/connection-watch.ts";
import {
  answeredProtocol,
  credentialOf,
  outlineOf,
  subprotocolOf,
} from "../../src/sync/upgrade-request.ts";

const KEY = "ok_0123456789";
const TOKEN = "os_0123456789";
const SERVICE = "test";
const OUTLINE = "0123456789ab8cde8123";

test("[S4] only /sync/me and /sync/<outline> are sync paths, whatever the query says", () => {
  expect(["/sync/me", `/sync/${OUTLINE}`, "/sync/me?outline=x"].map(outlineOf)).toEqual([
    "me",
    OUTLINE,
    "me",
  ]);
  const others = [
    undefined,
    "",
    "/",
    "/sync",
    "/sync/",
    "/sync/me/",
    "/sync/me/x",
    "/sync/ME",
    "/Sync/me",
    "/sync/..%2fme",
    "/sync/me%00",
    "/sync/__proto__",
    `/sync/${OUTLINE}0`,
    `/sync/${"a".repeat(8000)}`,
    "http://host/sync/me",
  ];
  expect(others.map(outlineOf)).toEqual(others.map(() => undefined));
});

test("[S5] the key is the offered protocol that we do not know", () => {
  const key = (offered: string): unknown =>
    credentialOf({ "sec-websocket-protocol": offered }, SERVICE);
  const shown = { kind: "key", secret: KEY };
  expect([KEY, `yjs, ${KEY}`, `outline.v1,${KEY}`, `${KEY}, yjs`].map(key)).toEqual([
    shown,
    shown,
    shown,
    shown,
  ]);
  expect(["", "yjs", "yjs, outline.v1"].map(key)).toMatchObject([
    { code: "unauthorized" },
    { code: "unauthorized" },
    { code: "unauthorized" },
  ]);
});

test("[S5] the answer is the first offered protocol that we know, else the key", () => {
  const answer = (...offered: string[]): unknown => answeredProtocol(new Set(offered));
  expect(answer("yjs", KEY)).toBe("yjs");
  expect(answer("outline.v1", KEY)).toBe("outline.v1");
  expect(answer("outline.v1", "yjs", KEY)).toBe("outline.v1");
  expect(answer("yjs", "outline.v1", KEY)).toBe("yjs");
  expect(answer(KEY)).toBe(KEY);
  expect(answer()).toBe(false);
  expect(subprotocolOf([KEY])).toBe("yjs");
  expect(subprotocolOf(["outline.v1", KEY])).toBe("outline.v1");
});

test("[S6] a session's cookie counts with an Origin of the same host only", () => {
  const name = sessionCookieName(SERVICE, false);
  const cookie = `a=1; ${name}=${TOKEN}; b=2`;
  const host = "outlines.example:8443";
  const shown = (origin?: string): unknown =>
    credentialOf({ cookie, host, ...(origin ? { origin } : {}) }, SERVICE);
  expect(shown(`https://${host}`)).toEqual({ kind: "session", secret: TOKEN });
  const foreign = [
    undefined,
    "null",
    "https://outlines.example",
    "https://evil.example",
    "https://outlines.example:8443.evil.example",
    "outlines.example:8443",
  ];
  for (const origin of foreign) expect(shown(origin), origin).toMatchObject({ code: "forbidden" });
  for (const other of [`not_${name}=x`, `outline_session=${KEY}`, `${name}2=x`]) {
    expect(credentialOf({ cookie: other, host }, SERVICE)).toMatchObject({ code: "unauthorized" });
  }
  const both = { cookie, host, "sec-websocket-protocol": `yjs, other-key` };
  expect(credentialOf(both, SERVICE)).toEqual({ kind: "key", secret: "other-key" });
});

test("[A41, A42] of two sessions neither opens a websocket, but that of TLS goes before", () => {
  const host = "outlines.example";
  const shown = (cookie: string): unknown =>
    credentialOf({ cookie, host, origin: `https://${host}` }, SERVICE);
  const plain = `${sessionCookieName(SERVICE, false)}=planted`;
  expect(shown(`${plain}; ${plain}`)).toMatchObject({ code: "invalid_request" });
  expect(shown(`${plain}; ${sessionCookieName(SERVICE, true)}=${TOKEN}`)).toEqual({
    kind: "session",
    secret: TOKEN,
  });
});

test("[S11] who sends headers of a proxy without being one of ours is known by the socket", () => {
  const headers = { "x-forwarded-for": "9.9.9.9, 8.8.8.8" };
  const none = new ClientAddresses("");
  expect(none.of("1.2.3.4", headers)).toBe("1.2.3.4");
  const ours = new ClientAddresses("10.0.0.0/8, ::1");
  expect(ours.of("1.2.3.4", headers)).toBe("1.2.3.4");
  expect(ours.of("10.1.1.1", headers)).toBe("8.8.8.8");
  expect(ours.of("::1", { "x-forwarded-for": "9.9.9.9, 10.2.2.2" })).toBe("9.9.9.9");
  expect(ours.of("::ffff:10.1.1.1", {})).toBe("10.1.1.1");
  expect(ours.of("10.1.1.1", { "x-forwarded-for": "unknown" })).toBe("10.1.1.1");
  expect(() => new ClientAddresses("nonsense")).toThrow();
});

test("[S11] IPv6 addresses count by their /64, IPv4 in IPv6 by itself", () => {
  const addresses = new ClientAddresses("");
  expect(addresses.of("2001:db8:1:2:3:4:5:6", {})).toBe("2001:db8:1:2::/64");
  expect(addresses.of("2001:db8:1:2::9", {})).toBe("2001:db8:1:2::/64");
  expect(addresses.of("2001:db8::9", {})).toBe("2001:db8:0:0::/64");
  expect(addresses.of("::1", {})).toBe("0:0:0:0::/64");
  expect(addresses.of("::ffff:1.2.3.4", {})).toBe("1.2.3.4");
});

test("[S25, S29] a clock that was set back puts off neither a ping nor the end of a stalled reader", () => {
  const watch = new ConnectionWatch({ heartbeatMs: 15_000, stalledMs: 30_000 }, 3_600_000);
  const unread = { queuedBytes: 100, progress: 0 };
  expect(watch.look(0, unread)).toBe("ok");
  expect(watch.look(14_999, unread)).toBe("ok");
  expect(watch.look(15_000, unread)).toBe("beat");
  expect(watch.look(30_001, unread)).toBe("stalled");
});
