import { expect } from "vitest";
import type { TestService } from "../support/service.ts";
import { test } from "./http-test.ts";

async function userOf(service: TestService, userName: string) {
  const { key } = await service.newUser(userName);
  const ask = (method: string, path: string, body?: unknown, as = key) =>
    service.request(method, `/api/v1${path}`, body, { key: as });
  const create = async (name: string, parent?: string, note?: string): Promise<string> => {
    const body = { name, parent_id: parent ?? null, position: "bottom", note };
    return ((await ask("POST", "/nodes", body)).body as { item_id: string }).item_id;
  };
  const backlinks = async (id: string, as = key): Promise<readonly string[]> => {
    const { status, body } = await ask("GET", `/nodes/${id}/backlinks`, undefined, as);
    expect(status).toBe(200);
    return (body as { backlinks: { id: string }[] }).backlinks.map((node) => node.id);
  };
  const name = async (id: string): Promise<string> => {
    const { body } = await ask("GET", `/nodes/${id}`);
    return (body as { node: { name: string } }).node.name;
  };
  return { key, ask, create, backlinks, name };
}

const shortOf = (id: string): string => id.slice(-12);

test("[N50] the backlinks of a node are answered as nodes, in document order", async ({
  service,
}) => {
  const { create, backlinks, ask } = await userOf(service, "backlinks");
  const target = await create("target");
  const late = await create(`[late](#/${shortOf(target)})`);
  const below = await create("below", target, `<a href="#/${shortOf(target)}">noted</a>`);
  await create(`no link ${shortOf(target)}`);
  expect(await backlinks(target)).toEqual([below, late]);
  expect(await backlinks(shortOf(target))).toEqual([below, late]);
  const { body } = await ask("GET", `/nodes/${target}/backlinks`);
  const one = await ask("GET", `/nodes/${below}`);
  expect((body as { backlinks: unknown[] }).backlinks[0]).toEqual(
    (one.body as { node: unknown }).node,
  );
  await ask("DELETE", `/nodes/${late}`);
  expect(await backlinks(target)).toEqual([below]);
  await ask("POST", `/nodes/${below}`, { note: null });
  expect(await backlinks(target)).toEqual([]);
});

test("[N50] backlinks of what is not there are 404, also for a key that does not reach it", async ({
  service,
}) => {
  const { create, backlinks, ask } = await userOf(service, "backlinks-limited");
  const root = await create("root");
  const outside = await create("outside");
  const inside = await create(`[o](#/${shortOf(outside)}) [r](#/${shortOf(root)})`, root);
  const fromOutside = await create(`[r](#/${shortOf(root)})`);
  const made = await ask("POST", "/keys", { name: "limited", root_id: root });
  const { key } = made.body as { key: string };
  expect(await backlinks(root)).toEqual([inside, fromOutside]);
  expect(await backlinks(root, key)).toEqual([inside]);
  for (const [path, as] of [
    [`/nodes/${outside}/backlinks`, key],
    ["/nodes/0123456789ab/backlinks", undefined],
    ["/nodes/None/backlinks", undefined],
  ] as const) {
    const { status, body } = await ask("GET", path, undefined, as);
    expect([path, status, (body as { code: string }).code]).toEqual([path, 404, "not_found"]);
  }
  const nobody = await ask("GET", `/nodes/${root}/backlinks`, undefined, "none");
  expect(nobody.status).toBe(401);
});

test("[N51] a new name is what links by the old one are called, where the key reaches them", async ({
  service,
}) => {
  const { create, name, ask } = await userOf(service, "renamed");
  const target = await create("Launch");
  const link = (text: string) => `<a href="#/${shortOf(target)}">${text}</a>`;
  const outside = await create(`see ${link("Launch")}`);
  const inside = await create(`from ${link("Launch")} or ${link("own words")}`, target);
  await ask("POST", `/nodes/${target}`, { name: "*Big* launch" });
  expect(await name(outside)).toBe(`see ${link("Big launch")}`);
  expect(await name(inside)).toBe(`from ${link("Big launch")} or ${link("own words")}`);
  const made = await ask("POST", "/keys", { name: "limited", root_id: target });
  const { key } = made.body as { key: string };
  await ask("POST", `/nodes/${target}`, { name: "Start" }, key);
  expect(await name(inside)).toBe(`from ${link("Start")} or ${link("own words")}`);
  expect(await name(outside)).toBe(`see ${link("Big launch")}`);
  await ask("POST", `/nodes/${target}`, { note: "new" });
  expect(await name(inside)).toBe(`from ${link("Start")} or ${link("own words")}`);
});

test("[N51] links that a key does not reach, or that are deleted, take no room from the others", async ({
  service,
}) => {
  const { create, name, ask } = await userOf(service, "full");
  const target = await create("Launch");
  const link = (text: string) => `see <a href="#/${shortOf(target)}">${text}</a>`;
  const outside = await create("outside");
  const operations = Array.from({ length: 200 }, () => ({
    op: "create",
    parent_id: outside,
    name: link("Launch"),
  }));
  expect((await ask("POST", "/batch", { operations })).status).toBe(200);
  const inside = await create(link("Launch"), target);
  const made = await ask("POST", "/keys", { name: "limited", root_id: target });
  const { key } = made.body as { key: string };
  await ask("POST", `/nodes/${target}`, { name: "Start" }, key);
  expect(await name(inside)).toBe(link("Start"));
  await ask("DELETE", `/nodes/${outside}`);
  await ask("POST", `/nodes/${target}`, { name: "Go" });
  expect(await name(inside)).toBe(link("Go"));
});

test("[N51] links follow the names that a batch and an edit give", async ({ service }) => {
  const { create, name, ask, key } = await userOf(service, "together");
  const target = await create("Launch");
  const short = shortOf(target);
  const source = await create(`see [Launch](#/${short})`);
  await ask("POST", "/batch", { operations: [{ op: "update", id: target, name: "Start" }] });
  expect(await name(source)).toBe(`see <a href="#/${short}">Start</a>`);
  const operations = [{ op: "update", ref: short, to: { n: "Go" } }];
  await service.request("POST", "/api/llm/doc/edit", { operations }, { key });
  expect(await name(source)).toBe(`see <a href="#/${short}">Go</a>`);
});

test("[N51] links follow in an outline of many nodes, whose links are looked for in turns", async ({
  service,
}) => {
  const { create, name, ask } = await userOf(service, "many");
  const target = await create("Launch");
  const many = Array.from({ length: 2500 }, (_, index) => `line ${index}`).join("\n\n");
  await create(many);
  const source = await create(`see [Launch](#/${shortOf(target)})`);
  await ask("POST", `/nodes/${target}`, { name: "Start" });
  expect(await name(source)).toBe(`see <a href="#/${shortOf(target)}">Start</a>`);
});
