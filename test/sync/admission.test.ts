import { expect, test } from "vitest";
import { ClientAddresses } from "../../src/sync/client-address.ts";
import { ConnectionWatch } from "../../src/sync/connection-watch.ts";
import { Gate } from "../../src/sync/gate.ts";
import { TokenBucket } from "../../src/sync/token-bucket.ts";
import {
  answeredProtocol,
  keyOf,
  outlineOf,
  subprotocolOf,
} from "../../src/sync/upgrade-request.ts";

const KEY = "ok_0123456789";
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
  const key = (offered: string): unknown => keyOf({ "sec-websocket-protocol": offered });
  expect([KEY, `yjs, ${KEY}`, `outline.v1,${KEY}`, `${KEY}, yjs`].map(key)).toEqual([
    KEY,
    KEY,
    KEY,
    KEY,
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
  const cookie = `a=1; outline_session=${KEY}; b=2`;
  const host = "outlines.example:8443";
  const key = (origin?: string): unknown => keyOf({ cookie, host, ...(origin ? { origin } : {}) });
  expect(key(`https://${host}`)).toBe(KEY);
  const foreign = [
    undefined,
    "null",
    "https://outlines.example",
    "https://evil.example",
    "https://outlines.example:8443.evil.example",
    "outlines.example:8443",
  ];
  for (const origin of foreign) expect(key(origin), origin).toMatchObject({ code: "forbidden" });
  expect(keyOf({ cookie: "not_outline_session=x", host })).toMatchObject({ code: "unauthorized" });
  expect(keyOf({ cookie, host, "sec-websocket-protocol": `yjs, other-key` })).toBe("other-key");
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

test("[S28] a bucket gives its burst at once, then evenly", () => {
  const bucket = new TokenBucket({ perSecond: 2, burst: 3 });
  const take = (now: number): boolean => bucket.take(now);
  expect([0, 0, 0, 0].map(take)).toEqual([true, true, true, false]);
  expect([499, 500, 500, 1000].map(take)).toEqual([false, true, false, true]);
  expect([60_000, 60_000, 60_000, 60_000].map(take)).toEqual([true, true, true, false]);
});

test("[S28] a clock that was set back leaves a bucket full", () => {
  const bucket = new TokenBucket({ perSecond: 2, burst: 3 });
  expect(bucket.take(3_600_000)).toBe(true);
  expect([0, 0, 0, 0].map((now) => bucket.take(now))).toEqual([true, true, true, false]);
});

test("[S25, S29] a clock that was set back puts off neither a ping nor the end of a stalled reader", () => {
  const watch = new ConnectionWatch({ heartbeatMs: 15_000, stalledMs: 30_000 }, 3_600_000);
  expect(watch.look(0, 100)).toBe("ok");
  expect(watch.look(14_999, 100)).toBe("ok");
  expect(watch.look(15_000, 100)).toBe("beat");
  expect(watch.look(30_001, 100)).toBe("stalled");
});

test("[S14] a gate lets so many pass at a time, in the order they came, also past failures", async () => {
  const gate = new Gate(2);
  const ends: (() => void)[] = [];
  const started: number[] = [];
  const pass = (number: number): Promise<number> =>
    gate.pass(async () => {
      started.push(number);
      await new Promise<void>((resolve, reject) => {
        ends.push(number === 1 ? () => reject(new Error("one")) : resolve);
      });
      return number;
    });
  const one = pass(1);
  const others = [pass(2), pass(3), pass(4)];
  expect(started).toEqual([1, 2]);
  ends[0]?.();
  await expect(one).rejects.toThrow("one");
  expect(started).toEqual([1, 2, 3]);
  ends[1]?.();
  ends[2]?.();
  await Promise.all(others.slice(0, 2));
  ends[3]?.();
  expect(await Promise.all(others)).toEqual([2, 3, 4]);
  expect(started).toEqual([1, 2, 3, 4]);
});
