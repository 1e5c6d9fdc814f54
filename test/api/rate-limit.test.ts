import { describe, expect } from "vitest";

import { startService } from "../support/service.ts";
import { Api } from "./support/api.ts";
import { newUserName, test as base } from "./support/api-test.ts";

/** The service as it is configured out of the box: one export a minute. */
const test = base.override("service", { scope: "file" }, async ({ clock }, { onCleanup }) => {
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
