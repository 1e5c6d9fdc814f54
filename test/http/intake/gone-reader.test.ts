import { request as httpRequest } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { OutlineId } from "../../../src/core/node-key.ts";
import { startService, type TestService } from "../../support/service.ts";

async function userOf(
  service: TestService,
  name: string,
): Promise<{ readonly key: string; readonly outline: OutlineId | undefined }> {
  const { key } = await service.newUser(name);
  return { key, outline: (await service.accounts.authenticate(key))?.outline };
}

test("[P39] no outline is opened for a program that has gone before its turn", async () => {
  const service = await startService({ documentLimits: { smallLoadsAtOnce: 1 } });
  onTestFinished(() => service.close());
  const [first, gone, last] = [
    await userOf(service, "first"),
    await userOf(service, "gone"),
    await userOf(service, "last"),
  ];
  const { log } = service.store;
  const begun: OutlineId[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const load = log.load.bind(log);
  log.load = async (outline, onProgress) => {
    begun.push(outline);
    await held;
    return load(outline, onProgress);
  };
  const read = ({ key }: { readonly key: string }): Promise<{ readonly status: number }> =>
    service.request("GET", "/api/v1/nodes", undefined, { key });
  const openOutlines = (): number => service.documents.stats().open;

  const firstRead = read(first);
  await expect.poll(openOutlines).toBe(1);
  const headers = { authorization: `Bearer ${gone.key}` };
  const leaving = httpRequest(`${service.url}/api/v1/nodes`, { headers, agent: false });
  leaving.on("error", () => undefined).end();
  await expect.poll(openOutlines).toBe(2);
  const lastRead = read(last);
  await expect.poll(openOutlines).toBe(3);
  const connections = service.app.connections.size;
  leaving.destroy();
  await expect.poll(() => service.app.connections.size).toBe(connections - 1);
  release();
  expect([(await firstRead).status, (await lastRead).status]).toEqual([200, 200]);
  expect(begun).toEqual([first.outline, last.outline]);
  await expect.poll(openOutlines).toBe(2);
});
