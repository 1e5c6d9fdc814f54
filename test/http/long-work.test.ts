import { expect, onTestFinished, test } from "vitest";
import { startService } from "../support/service.ts";
import { slowWatchdog } from "../support/slow-watchdog.ts";

test("[Q41] a request that keeps the thread is answered, and the next like it refused for a minute", async () => {
  const { watchdog, workLasts, pass, seen } = slowWatchdog();
  const service = await startService({ watchdog });
  onTestFinished(() => service.close());
  const create = () => service.request("POST", "/api/v1/nodes", { name: "a" });
  expect((await create()).status).toBe(200);
  workLasts(1_500);
  expect((await create()).status).toBe(200);
  workLasts(0);
  expect(seen.map(({ kind }) => kind)).toContain("createNode");
  expect(seen.find(({ kind }) => kind === "createNode")?.size).toBe('{"name":"a"}'.length);
  const refused = await create();
  expect([refused.status, refused.body]).toMatchObject([503, { code: "unavailable" }]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(30);
  const { key } = await service.newUser("bystander");
  const others = await service.request("POST", "/api/v1/nodes", { name: "b" }, { key });
  expect(others.status).toBe(200);
  pass(60_000);
  expect((await create()).status).toBe(200);
});
