import { expect } from "vitest";
import type { TestService } from "../support/service.ts";
import { test } from "./http-test.ts";

interface World {
  readonly key: string;
  readonly root: string;
  readonly inside: string;
  readonly outside: string;
  /** The outcome of a request with the limited key. */
  readonly ask: (method: string, path: string, body?: unknown) => Promise<string>;
}

async function worldOf(service: TestService): Promise<World> {
  const create = async (name: string, parent_id?: string) => {
    const { body } = await service.request("POST", "/api/v1/nodes", { name, parent_id });
    return (body as { item_id: string }).item_id;
  };
  const root = await create("root");
  const inside = await create("inside", root);
  const outside = await create("outside");
  const made = await service.request("POST", "/api/v1/keys", { name: "limited", root_id: root });
  const { key } = made.body as { key: string };
  return {
    key,
    root,
    inside,
    outside,
    async ask(method, path, body) {
      const answer = await service.request(method, `/api/v1${path}`, body, { key });
      return answer.status === 200
        ? "200"
        : `${answer.status} ${(answer.body as { code: string }).code}`;
    },
  };
}

test("[A37] a limited key may not delete its own root, but what is in it", async ({ service }) => {
  const { ask, root, inside } = await worldOf(service);
  expect(await ask("DELETE", `/nodes/${root}`)).toBe("403 forbidden");
  const operations = [{ op: "delete", id: root }];
  expect(await ask("POST", "/batch", { operations })).toBe("403 forbidden");
  expect(await ask("GET", `/nodes/${root}`)).toBe("200");
  expect(await ask("POST", `/nodes/${root}`, { name: "renamed" })).toBe("200");
  expect(await ask("DELETE", `/nodes/${inside}`)).toBe("200");
});

test("[A37] nor with an edit of several nodes", async ({ service }) => {
  const { key, root } = await worldOf(service);
  const edit = { operations: [{ op: "delete", ref: root.slice(-12) }] };
  const { status } = await service.request("POST", "/api/llm/doc/edit", edit, { key });
  expect(status).toBe(403);
});

test("[A38] a limited key whose root is gone reaches nothing", async ({ service }) => {
  const { ask, key, root, inside, outside } = await worldOf(service);
  const url = "https://receiver.example/";
  const made = await service.request("POST", "/api/v1/webhooks", { url }, { key });
  const webhook = `/webhooks/${(made.body as { id: string }).id}`;
  expect(await ask("GET", webhook)).toBe("200");
  await service.request("DELETE", `/api/v1/nodes/${root}`);
  for (const path of ["/nodes", "/nodes-export", "/targets", "/settings"]) {
    const answer = await service.request("HEAD", `/api/v1${path}`, undefined, { key });
    expect([path, answer.status]).toEqual([path, 404]);
  }
  for (const [method, path, body] of [
    ["GET", "/nodes"],
    ["GET", "/nodes?parent_id=None"],
    ["GET", `/nodes/${root}`],
    ["GET", `/nodes/${inside}`],
    ["GET", `/nodes/${outside}`],
    ["GET", "/nodes-export"],
    ["GET", "/search?q="],
    ["GET", `/search?q=&root=${root}`],
    ["POST", "/nodes", { name: "x" }],
    ["POST", "/nodes", { name: "x", parent_id: root }],
    ["POST", "/nodes", { name: "x", parent_id: "today" }],
    ["POST", `/nodes/${inside}/move`, {}],
    ["DELETE", `/nodes/${inside}`],
    ["GET", "/targets"],
    ["POST", "/targets", { key: "mine", id: root }],
    ["GET", "/settings"],
    ["GET", "/webhooks"],
    ["POST", "/webhooks", { url }],
    ["GET", webhook],
    ["POST", webhook, { name: "x" }],
    ["POST", `${webhook}/test`],
    ["DELETE", webhook],
  ] as const) {
    expect([path, await ask(method, path, body)]).toEqual([path, "404 not_found"]);
  }
  expect((await service.request("GET", `/api/v1${webhook}`)).status).toBe(200);
  expect((await service.request("DELETE", `/api/v1${webhook}`)).status).toBe(200);
});

test("[A39] a limited key makes no shortcut, and can't tell which there are outside", async ({
  service,
}) => {
  const { ask, root, inside, outside } = await worldOf(service);
  await service.request("POST", "/api/v1/targets", { key: "Way", id: outside });
  const targetsOf = async () => (await service.request("GET", "/api/v1/targets")).body;
  const before = await targetsOf();
  expect(await ask("POST", "/targets", { key: "way", id: inside })).toBe("403 forbidden");
  expect(await ask("POST", "/targets", { key: "way", id: outside })).toBe("404 not_found");
  expect(await ask("DELETE", "/targets/way")).toBe("404 not_found");
  expect(await targetsOf()).toEqual(before);
  for (const key of ["home", "mine"]) {
    expect(await ask("POST", "/targets", { key, id: inside })).toBe("403 forbidden");
    expect(await ask("POST", "/targets", { key, id: outside })).toBe("404 not_found");
    expect(await ask("DELETE", `/targets/${key}`)).toBe("404 not_found");
  }
  await service.request("POST", "/api/v1/targets", { key: "mine", id: root });
  expect(await ask("POST", "/targets", { key: "Mine", id: inside })).toBe("200");
  expect(await ask("GET", "/nodes/mine")).toBe("200");
  expect(await ask("DELETE", "/targets/mine")).toBe("200");
});

test("[A39] a shortcut that leads outside is as none, also where one has a meaning without it", async ({
  service,
}) => {
  const { ask, key, root, inside, outside } = await worldOf(service);
  const answers = async () => {
    const list = await service.request("GET", "/api/v1/nodes?parent_id=home", undefined, { key });
    const created = await ask("POST", "/nodes", { name: "x", parent_id: "home" });
    const moved = await ask("POST", `/nodes/${inside}/move`, { parent_id: "home" });
    const names = (list.body as { nodes: { name: string }[] }).nodes.map(({ name }) => name);
    return [list.status, names.includes("inside"), created, moved];
  };
  const before = await answers();
  expect(before).toEqual([200, true, "200", "200"]);
  await service.request("POST", "/api/v1/targets", { key: "home", id: outside });
  expect(await answers()).toEqual(before);
  await service.request("POST", "/api/v1/targets", { key: "home", id: root });
  expect(await answers()).toEqual(before);
  await service.request("DELETE", "/api/v1/targets/home");
});

test("[A69] a limited key makes no system node where it stood outside", async ({ service }) => {
  const post = (path: string, body: object) => service.request("POST", `/api/v1${path}`, body);
  for (const [year, name] of [
    ["2041", "short"],
    ["2042", "long ".repeat(10_000)],
  ] as const) {
    await post("/nodes", { parent_id: `${year}-07-01`, name: "x" });
    const made = await post("/keys", { name: "limited", root_id: year });
    const { key } = made.body as { key: string };
    await post(`/nodes/${year}-07/move`, {});
    const moved = await post("/nodes", { parent_id: year, name: "moves" });
    await service.request("DELETE", `/api/v1/nodes/${year}-07`);
    const { body: before } = await service.request("GET", "/api/v1/nodes-export");
    const { item_id } = moved.body as { item_id: string };
    for (const [path, body] of [
      ["/nodes", { name, parent_id: `${year}-07` }],
      ["/nodes", { name, parent_id: `${year}-07-09` }],
      [`/nodes/${item_id}/move`, { parent_id: `${year}-07-09` }],
    ] as const) {
      const answer = await service.request("POST", `/api/v1${path}`, body, { key });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect((await service.request("GET", "/api/v1/nodes-export")).body).toEqual(before);
  }
});

test("[A69] a limited key makes a system node that stood inside", async ({ service }) => {
  const { ask, root } = await worldOf(service);
  await service.request("POST", "/api/v1/nodes", { parent_id: "inbox", name: "x" });
  await service.request("POST", "/api/v1/nodes/inbox/move", { parent_id: root });
  await service.request("DELETE", "/api/v1/nodes/inbox");
  expect(await ask("POST", "/nodes", { parent_id: "inbox", name: "y" })).toBe("200");
  const { body } = await service.request("GET", "/api/v1/nodes/inbox");
  expect(body).toMatchObject({ node: { parent_id: root } });
});
