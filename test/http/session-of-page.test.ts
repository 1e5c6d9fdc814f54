import { expect } from "vitest";
import type { ServiceAnswer } from "../support/service.ts";
import { test } from "./http-test.ts";

const NOBODY = { key: null };

function outcomeOf({ status, body }: ServiceAnswer): readonly unknown[] {
  return status === 200 ? [status, body] : [status, (body as { code: string }).code];
}

test("[A40] a session says whose outline it opens, by header and by cookie", async ({
  service,
}) => {
  const principal = await service.accounts.authenticate(service.key);
  const expected = [200, { outline: principal?.outline, user: service.user, scope: "write" }];
  expect(outcomeOf(await service.request("GET", "/session"))).toEqual(expected);
  const headers = { cookie: await service.signIn() };
  const byCookie = await service.request("GET", "/session", undefined, { ...NOBODY, headers });
  expect(outcomeOf(byCookie)).toEqual(expected);
});

test("[A40] the scope is that of the key", async ({ service }) => {
  const made = await service.request("POST", "/api/v1/keys", { name: "reader", scope: "read" });
  const { key } = made.body as { key: string };
  const { body } = await service.request("GET", "/session", undefined, { key });
  expect((body as { scope: string }).scope).toBe("read");
});

test("[A40] without a valid key it is 401", async ({ service }) => {
  const [name] = (await service.signIn()).split("=");
  const headers = { cookie: `${name}=os_00000000000000000000000000000000` };
  for (const options of [NOBODY, { ...NOBODY, headers }, { key: "nonsense" }]) {
    const answer = await service.request("GET", "/session", undefined, options);
    expect([...outcomeOf(answer), answer.headers.get("www-authenticate")]).toEqual([
      401,
      "unauthorized",
      "Bearer",
    ]);
  }
});

test("[A40] a key limited to a subtree opens no replica: 403", async ({ service }) => {
  const node = await service.request("POST", "/api/v1/nodes", { name: "project" });
  const { item_id: root } = node.body as { item_id: string };
  const made = await service.request("POST", "/api/v1/keys", { name: "part", root_id: root });
  const { key } = made.body as { key: string };
  const answer = await service.request("GET", "/session", undefined, { key });
  expect(outcomeOf(answer)).toEqual([403, "forbidden"]);
});
