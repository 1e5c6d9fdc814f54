import { describe, expect } from "vitest";
import { startService, type ServiceAnswer } from "../support/service.ts";
import { NOTHING, userOf } from "./changes-user.ts";
import { test } from "./http-test.ts";

describe("[U86] an answer that waits", () => {
  test("comes when something has changed, and not for what does not concern it", async ({
    service,
  }) => {
    const { told, cursor, create } = await userOf(service, "waiting");
    const root = await create("root");
    const since = await cursor(`root=${root}`);
    const answer = told(`since=${since}&root=${root}&wait=60`);
    await create("elsewhere");
    expect(await Promise.race([answer, create("elsewhere too")])).toMatch(/-/);
    await create("inside", root);
    expect(await answer).toEqual({ changed: ["inside"], removed: [], more: false });
  });

  test("comes at once when there is something already, and with the time", async ({ service }) => {
    const { told, page, cursor, create } = await userOf(service, "waiting-not");
    const since = await cursor();
    expect(await page(`since=${since}&wait=1`)).toEqual({ ...NOTHING, cursor: since });
    await create("there");
    expect((await told(`since=${since}&wait=60`)).changed).toEqual(["there"]);
  });

  test("ends with its key", async ({ service }) => {
    const { api, ask, cursor, newKey } = await userOf(service, "waiting-revoked");
    const { id, key } = await newKey({});
    const answer = ask(`since=${await cursor("", key)}&wait=60`, key);
    await api("GET", "/nodes");
    await api("DELETE", `/keys/${id}`);
    expect((await answer).status).toBe(401);
  });

  test("ends with its user, whose outline goes at the same time", async ({ service }) => {
    const { accounts, documents } = service;
    const { api, ask, cursor, key } = await userOf(service, "waiting-removed");
    const answer = ask(`since=${await cursor()}&wait=60`);
    await api("GET", "/nodes");
    const { user, outline } = (await accounts.authenticate(key)) ?? expect.fail("no such key");
    for (const { id } of await accounts.listKeys(user)) await accounts.revokeKey(user, id);
    await documents.drop(outline);
    expect((await answer).status).toBe(401);
  });

  test("is not waited for where there is no cursor yet", async ({ service }) => {
    const { page } = await userOf(service, "waiting-first");
    const { cursor } = await page("wait=60");
    expect(await page(`since=${cursor}`)).toEqual({ ...NOTHING, cursor });
  }, 20_000);

  test("ends with the service, which waits for nothing", async () => {
    const service = await startService();
    const { ask, cursor } = await userOf(service, "waiting-stopped");
    const since = await cursor();
    const answers = [ask(`since=${since}&wait=60`), ask(`since=${since}&wait=60`)];
    await expect.poll(() => service.memory.bytes).toBe(0);
    const { documents } = service;
    await expect.poll(() => documents.stats().pinned).toBe(0);
    await service.close();
    const ends = await Promise.allSettled(answers);
    for (const end of ends) {
      if (end.status === "fulfilled") expect([200, 503]).toContain(end.value.status);
    }
  });

  test("[Q80] is one of ten of a key and those made with it, and of fifty of a user", async ({
    service,
  }) => {
    const { api, ask, cursor, create, newKey } = await userOf(service, "waiting-many");
    const since = await cursor();
    const child = await newKey({});
    const asked = (count: number, key?: string): readonly Promise<ServiceAnswer>[] =>
      Array.from({ length: count }, () => ask(`since=${since}&wait=60`, key));
    const answers = [...asked(20), ...asked(20, child.key)];
    let refused = 0;
    for (const answer of answers) {
      void answer.then(({ status }) => (refused += status === 429 ? 1 : 0));
    }
    await expect.poll(() => refused, { timeout: 20_000 }).toBe(30);
    await api("GET", "/nodes");
    await create("for all of them");
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    const [again] = await Promise.all(asked(1));
    expect(again?.status).toBe(200);
  });
});
