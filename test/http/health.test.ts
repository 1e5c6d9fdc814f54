import { expect, test as plain } from "vitest";
import { TestClock } from "../api/support/test-clock.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import { startService } from "../support/service.ts";
import { test } from "./http-test.ts";

const NOBODY = { key: null };

test("[E32] who is well says so, to anybody", async ({ service }) => {
  for (const path of ["/healthz", "/readyz"]) {
    const { status, body } = await service.request("GET", path, undefined, NOBODY);
    expect([path, status, body]).toEqual([path, 200, { status: "ok" }]);
  }
});

plain("[E32] a store that fails makes the service unready, and only that", async () => {
  const clock = new TestClock();
  let probes = 0;
  let isBroken = false;
  const store = new MemoryStore({ now: clock.now });
  store.log.probe = async () => {
    probes += 1;
    if (isBroken) throw new Error("secret: the disk is on fire");
  };
  const service = await startService({ store, now: clock.now });
  const statusOf = async (path: string) => (await service.request("GET", path)).status;
  try {
    expect(await statusOf("/readyz")).toBe(200);
    isBroken = true;
    clock.advance(1);
    const { status, headers, body } = await service.request("GET", "/readyz");
    expect([status, headers.get("retry-after"), body]).toEqual([
      503,
      "1",
      {
        error: "The store does not answer.",
        code: "unavailable",
        message: "The store does not answer.",
      },
    ]);
    expect(await statusOf("/healthz")).toBe(200);
    isBroken = false;
    clock.advance(1);
    expect(await statusOf("/readyz")).toBe(200);
    expect(probes).toBe(3);
  } finally {
    await service.close();
  }
});

plain("[E32] the store is asked at most once a second", async () => {
  const clock = new TestClock();
  let probes = 0;
  let answer = () => {};
  const store = new MemoryStore({ now: clock.now });
  store.log.probe = () => {
    probes += 1;
    return new Promise((resolve) => (answer = resolve));
  };
  const service = await startService({ store, now: clock.now });
  try {
    const asked = Array.from({ length: 20 }, () => service.request("GET", "/readyz"));
    await expect.poll(() => probes).toBe(1);
    await service.request("GET", "/healthz");
    answer();
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
    for (let round = 0; round < 20; round += 1) await service.request("GET", "/readyz");
    expect(probes).toBe(1);
    clock.advance(1);
    const next = service.request("GET", "/readyz");
    await expect.poll(() => probes).toBe(2);
    answer();
    expect((await next).status).toBe(200);
  } finally {
    await service.close();
  }
});

/** The lines of the metrics that count requests. */
async function requestCounts(service: {
  request(method: string, path: string): Promise<{ body: unknown }>;
}): Promise<readonly string[]> {
  const { body } = await service.request("GET", "/metrics");
  return String(body)
    .split("\n")
    .filter((line) => line.startsWith("outline_http_request_duration_seconds_count"))
    .map((line) => line.replace("outline_http_request_duration_seconds_count", ""));
}

plain("[E33] requests are counted by method, route pattern and status", async () => {
  const service = await startService();
  try {
    const { body } = await service.request("POST", "/api/v1/nodes", { name: "secret" });
    const { item_id: id } = body as { item_id: string };
    for (const path of [id, id.slice(-12), "nothing", "secret-shortcut"]) {
      await service.request("GET", `/api/v1/nodes/${path}`);
    }
    await service.request("GET", "/api/v1/secret-path");
    await service.request("PUT", "/api/v1/nodes/secret");
    await service.request("GET", "/api/v1/nodes", undefined, NOBODY);
    const counts = await requestCounts(service);
    expect(counts.toSorted()).toEqual([
      '{method="GET",route="/api/v1/nodes",status="401"} 1',
      '{method="GET",route="/api/v1/nodes/:id",status="200"} 2',
      '{method="GET",route="/api/v1/nodes/:id",status="404"} 2',
      '{method="GET",route="none",status="404"} 1',
      '{method="POST",route="/api/v1/nodes",status="200"} 1',
      '{method="PUT",route="none",status="405"} 1',
    ]);
    expect((await service.request("GET", "/metrics")).headers.get("content-type")).toMatch(
      /^text\/plain; version=0\.0\.4/,
    );
  } finally {
    await service.close();
  }
});
