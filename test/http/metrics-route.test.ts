import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { isLoopback } from "../../src/accounts/network-of.ts";
import { startService, type ServiceOptions } from "../support/service.ts";

const KEY = "metrics-key-of-a-test";

async function started(options: ServiceOptions = {}) {
  const service = await startService(options);
  onTestFinished(() => service.close());
  return async (headers: Record<string, string> = {}): Promise<number> => {
    const asked = request(`${service.url}/metrics`, { headers });
    const status = await new Promise<number>((resolve, reject) => {
      asked.on("response", (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      asked.on("error", reject).end();
    });
    return status;
  };
}

test("[C22] without a key of their own the metrics are for this machine's programs", async () => {
  const ask = await started();
  expect(await ask()).toBe(200);
  for (const name of ["forwarded", "x-forwarded-for", "x-real-ip", "via"]) {
    expect([name, await ask({ [name]: "1.2.3.4" })]).toEqual([name, 403]);
  }
});

test("[C22] also where a proxy is trusted, and says that it asks for this machine", async () => {
  const ask = await started({ limits: { trustedProxies: "127.0.0.1" } });
  expect(await ask({ "x-forwarded-for": "127.0.0.1" })).toBe(403);
});

test.each([
  ["127.0.0.1", true],
  ["127.8.9.1", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["10.0.0.1", false],
  ["::ffff:10.0.0.1", false],
  ["fe80::1", false],
  ["127.evil.example", false],
  ["", false],
])("[C22] %s is this machine: %s", (address, is) => {
  expect(isLoopback(address)).toBe(is);
});

test("[C22] with a key of their own they are for whoever shows it, from anywhere", async () => {
  const ask = await started({ metricsKey: KEY });
  expect(await ask()).toBe(401);
  expect(await ask({ authorization: `Bearer ${KEY}x` })).toBe(401);
  expect(await ask({ authorization: `Bearer ${KEY}` })).toBe(200);
  expect(await ask({ authorization: `Bearer ${KEY}`, "x-forwarded-for": "1.2.3.4" })).toBe(200);
});

test("[C22] the metrics' key opens nothing else, and a user's not the metrics", async () => {
  const service = await startService({ metricsKey: KEY });
  onTestFinished(() => service.close());
  const nodes = await service.request("GET", "/api/v1/nodes", undefined, { key: KEY });
  expect(nodes.status).toBe(401);
  expect((await service.request("GET", "/metrics")).status).toBe(401);
});
