import { describe, expect } from "vitest";

import type { UserId } from "../../src/accounts/account-store.ts";
import { startService } from "../support/service.ts";
import { Api } from "./support/api.ts";
import { newUserName, test as base } from "./support/api-test.ts";

/** The service as it is configured out of the box: one export a minute. */
const test = base.extend("service", { scope: "file" }, async ({ clock }, { onCleanup }) => {
  const service = await startService({ now: clock.now, exportLimitMs: 60_000 });
  onCleanup(() => service.close());
  return service;
});

describe("the export limit", () => {
  test("[E1, E17] says how long to wait, in the body and as a header", async ({ api, clock }) => {
    await api.create({ name: "x" });
    expect((await api.export()).length).toBe(1);
    for (const [waited, left] of [
      [0, 60],
      [1, 59],
      [29, 30],
      [29, 1],
    ] as const) {
      clock.advance(waited);
      const answer = await api.request("GET", "/nodes-export");
      expect(answer.status).toBe(429);
      expect(answer.body).toEqual({
        error: expect.any(String) as unknown,
        code: "rate_limited",
        message: expect.any(String) as unknown,
        retry_after: left,
      });
      expect(answer.headers.get("retry-after")).toBe(String(left));
    }
    clock.advance(1);
    expect((await api.export()).length).toBe(1);
    expect(await api.outcome("GET", "/nodes-export")).toBe("429 rate_limited");
  });

  test("[E17] rounds up: who waits as told is let in", async ({ api, clock }) => {
    await api.export();
    clock.advance(0.4);
    const { body } = await api.request("GET", "/nodes-export");
    const { retry_after: seconds } = body as { retry_after: number };
    expect(seconds).toBe(60);
    clock.advance(seconds);
    expect(await api.outcome("GET", "/nodes-export")).toBe("200");
  });

  test("[E17] refused exports do not lengthen the wait", async ({ api, clock }) => {
    await api.export();
    for (let round = 0; round < 6; round += 1) {
      expect(await api.outcome("GET", "/nodes-export")).toBe("429 rate_limited");
      clock.advance(10);
    }
    expect(await api.outcome("GET", "/nodes-export")).toBe("200");
  });

  test("[E18] counts a user's keys together and users apart", async ({ api, other }) => {
    const second = await api.keyed({ name: "second" });
    await api.export();
    expect(await second.outcome("GET", "/nodes-export")).toBe("429 rate_limited");
    expect(await other.outcome("GET", "/nodes-export")).toBe("200");
  });

  test("[Q24] a key that the operator has made is not kept from it by another one", async ({
    service,
  }) => {
    const { key, user } = await service.newUser(newUserName());
    const api = new Api(service.url, key);
    const made = async (scope: "read" | "write"): Promise<Api> => {
      const created = await service.accounts.createKey(user as UserId, { name: scope, scope });
      if (created.kind !== "created") throw new Error(created.kind);
      return api.withKey(created.key);
    };
    const [leaked, lost, owner] = [await made("read"), await made("write"), await made("write")];
    const children = [await lost.keyed({ name: "1" }), await lost.keyed({ name: "2" })];
    await leaked.export();
    await children[0]?.export();
    for (let round = 0; round < 20; round += 1) {
      for (const one of [leaked, lost, ...children]) {
        expect(await one.outcome("GET", "/nodes-export")).toBe("429 rate_limited");
      }
    }
    expect(await owner.outcome("GET", "/nodes-export")).toBe("200");
    expect(await owner.outcome("GET", "/nodes-export")).toBe("429 rate_limited");
  });

  test("[Q24] all keys of a user have ten exports a minute, evenly spread from then on", async ({
    service,
    clock,
  }) => {
    clock.reset();
    const { key, user } = await service.newUser(newUserName());
    const api = new Api(service.url, key);
    const keys: Api[] = [];
    for (let index = 0; index < 12; index += 1) {
      const created = await service.accounts.createKey(user as UserId, { name: `${index}` });
      if (created.kind === "created") keys.push(api.withKey(created.key));
    }
    const outcomes: string[] = [];
    for (const one of keys) outcomes.push(await one.outcome("GET", "/nodes-export"));
    expect(outcomes.filter((outcome) => outcome === "200")).toHaveLength(10);
    const refused = await keys[11]?.request("GET", "/nodes-export");
    expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([429, "6"]);
    clock.advance(6);
    expect(await keys[11]?.outcome("GET", "/nodes-export")).toBe("200");
    expect(await keys[10]?.outcome("GET", "/nodes-export")).toBe("429 rate_limited");
  });

  test("[E18] counts only exports that were answered", async ({ api }) => {
    for (const method of ["POST", "DELETE", "PUT"]) {
      expect(await api.outcome(method, "/nodes-export")).toBe("405 method_not_allowed");
    }
    expect(await api.withKey("nonsense").outcome("GET", "/nodes-export")).toBe("401 unauthorized");
    expect(await api.outcome("GET", "/nodes-export")).toBe("200");
  });

  test("[E18] is no way around by slash or query", async ({ api }) => {
    await api.export();
    expect(await api.outcome("GET", "/nodes-export/")).toBe("429 rate_limited");
    expect(await api.outcome("GET", "/nodes-export?x=1")).toBe("429 rate_limited");
  });

  test("[E17] leaves the other routes alone", async ({ api }) => {
    const id = await api.create({ name: "x" });
    await api.export();
    for (let round = 0; round < 30; round += 1) {
      await api.node(id);
      await api.children();
      await api.targets();
    }
  });
});

describe("the setting of the export limit", () => {
  const exportTwice = async (options: { exportLimitMs?: number }, now: () => number) => {
    const service = await startService({ now, ...options });
    try {
      const { key } = await service.newUser(newUserName());
      const api = new Api(service.url, key);
      await api.export();
      const answer = await api.request("GET", "/nodes-export");
      return [answer.status, answer.headers.get("retry-after")];
    } finally {
      await service.close();
    }
  };

  test.for([
    [{}, [429, "60"]],
    [{ exportLimitMs: 60_000 }, [429, "60"]],
    [{ exportLimitMs: 1500 }, [429, "2"]],
    [{ exportLimitMs: 0 }, [200, null]],
  ] as const)("[E17, E18] %o: the second export is answered %j", async (row, { clock }) => {
    const [options, answer] = row;
    expect(await exportTwice(options, clock.now)).toEqual(answer);
  });
});
