import { expect, test } from "vitest";
import { TestClock } from "../api/support/test-clock.ts";
import type { UserId } from "../../src/accounts/account-store.ts";
import { startService } from "../support/service.ts";

test("[E38, Q19] a user that asks too much has to wait, with all keys, and others do not", async () => {
  const clock = new TestClock();
  const service = await startService({ now: clock.now, limits: { requestsPerMinute: 30 } });
  try {
    const { key: other } = await service.newUser("other");
    const ask = (key = service.key, path = "/api/v1/nodes") =>
      service.request("GET", path, undefined, { key });
    for (let round = 0; round < 30; round += 1) expect((await ask()).status).toBe(200);
    const { status, headers, body } = await ask();
    expect([status, headers.get("retry-after"), body]).toEqual([
      429,
      "2",
      {
        error: "This user makes too many requests.",
        code: "rate_limited",
        message: "This user makes too many requests.",
        retry_after: 2,
      },
    ]);
    expect((await ask(service.key, "/api/v1/nothing")).status).toBe(429);
    const created = await service.accounts.createKey(service.user as UserId, { name: "more" });
    if (created.kind !== "created") throw new Error(created.kind);
    expect((await ask(created.key)).status).toBe(429);
    expect((await ask(other)).status).toBe(200);
    clock.advance(2);
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(429);
    expect((await ask("nonsense")).status).toBe(401);
  } finally {
    await service.close();
  }
});

test("[E38] each answer says what is left of the limit", async () => {
  const clock = new TestClock();
  const service = await startService({ now: clock.now, limits: { requestsPerMinute: 30 } });
  const said = async (path: string, key = service.key) => {
    const { headers } = await service.request("GET", path, undefined, { key });
    return [headers.get("ratelimit-policy"), headers.get("ratelimit")];
  };
  try {
    const policy = '"user";q=30;w=60';
    expect(await said("/api/v1/nodes")).toEqual([policy, '"user";r=29;t=2']);
    expect(await said("/api/v1/nodes/nothing")).toEqual([policy, '"user";r=28;t=4']);
    expect(await said("/api/v1/targets")).toEqual([policy, '"user";r=27;t=6']);
    clock.advance(3);
    expect(await said("/api/v1/nodes")).toEqual([policy, '"user";r=27;t=5']);
    for (let round = 0; round < 27; round += 1) await said("/api/v1/nodes");
    expect(await said("/api/v1/nodes")).toEqual([policy, '"user";r=0;t=59']);
    clock.advance(3600);
    expect(await said("/api/v1/nodes")).toEqual([policy, '"user";r=29;t=2']);
    expect(await said("/api/v1/nodes", "nonsense")).toEqual([null, null]);
  } finally {
    await service.close();
  }
});

test("[E38, Q19] a key that asks too much has to wait, with those made with it, and other keys of the user do not", async () => {
  const clock = new TestClock();
  const limits = { requestsPerMinute: 30, keyRequestsPerMinute: 6 };
  const service = await startService({ now: clock.now, limits });
  const ask = async (key: string) => {
    const { status, headers } = await service.request("GET", "/api/v1/targets", undefined, { key });
    return [status, headers.get("ratelimit"), headers.get("retry-after")];
  };
  try {
    const created = await service.accounts.createKey(service.user as UserId, { name: "other" });
    if (created.kind !== "created") throw new Error(created.kind);
    const made = await service.request("POST", "/api/v1/keys", { name: "child" });
    expect(made.headers.get("ratelimit-policy")).toBe('"key";q=6;w=60, "user";q=30;w=60');
    const { key: child } = made.body as { readonly key: string };
    for (let left = 4; left >= 0; left -= 1) {
      expect((await ask(left % 2 === 0 ? child : service.key))[0]).toBe(200);
    }
    const refused = [429, '"key";r=0;t=60, "user";r=24;t=12', "10"];
    expect(await ask(child)).toEqual(refused);
    // What is refused takes nothing of the user's.
    expect(await ask(service.key)).toEqual(refused);
    expect(await ask(created.key)).toEqual([200, '"key";r=5;t=10, "user";r=23;t=14', null]);
    clock.advance(10);
    expect((await ask(child))[0]).toBe(200);
    expect((await ask(service.key))[0]).toBe(429);
  } finally {
    await service.close();
  }
});

test("[E38] what the user's limit refuses takes nothing of the key's", async () => {
  const clock = new TestClock();
  const limits = { requestsPerMinute: 1, keyRequestsPerMinute: 2 };
  const service = await startService({ now: clock.now, limits });
  try {
    const ask = () => service.request("GET", "/api/v1/targets");
    expect((await ask()).status).toBe(200);
    for (let round = 0; round < 5; round += 1) {
      const { status, headers } = await ask();
      expect([status, headers.get("ratelimit")]).toEqual([429, '"key";r=1;t=30, "user";r=0;t=60']);
    }
  } finally {
    await service.close();
  }
});

test("[E38] without a setting there is no limit", async () => {
  const clock = new TestClock();
  const service = await startService({ now: clock.now });
  try {
    for (let round = 0; round < 300; round += 1) {
      const { status, headers } = await service.request("GET", "/api/v1/targets");
      expect([status, headers.get("ratelimit")]).toEqual([200, null]);
    }
  } finally {
    await service.close();
  }
});
