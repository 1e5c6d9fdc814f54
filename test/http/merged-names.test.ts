import { expect, onTestFinished } from "vitest";
import type { OutlineId } from "../../src/core/node-key.ts";
import { nodesOf, textOf } from "../../src/core/schema.ts";
import { startService, type TestService } from "../support/service.ts";
import { test } from "./http-test.ts";

/** A node, its short id, and what a person types in it in an app. */
class Subject {
  readonly service: TestService;
  readonly id: string;

  constructor(service: TestService, id: string) {
    this.service = service;
    this.id = id;
  }

  static async make(service: TestService, name: string): Promise<Subject> {
    const { body } = await service.request("POST", "/api/v1/nodes", { name });
    return new Subject(service, (body as { item_id: string }).item_id);
  }

  async name(key = this.service.key): Promise<string> {
    const options = { key };
    const path = `/api/v1/nodes/${this.id}`;
    const { body } = await this.service.request("GET", path, undefined, options);
    return (body as { node: { name: string } }).node.name;
  }

  /** The name as it is, without any key getting to know it. */
  async storedName(): Promise<string> {
    const { body } = await this.service.request("POST", "/api/v1/keys", { name: "looks" });
    return this.name((body as { key: string }).key);
  }

  async update(fields: object, key = this.service.key): Promise<void> {
    const answer = await this.service.request("POST", `/api/v1/nodes/${this.id}`, fields, { key });
    expect(answer.body).toEqual({ status: "ok" });
  }

  /** Types a text behind the given one, as an app does through its socket. */
  async type(behind: string, text: string): Promise<void> {
    const digits = this.id.replaceAll("-", "");
    const outlineId = digits.slice(0, 20) as OutlineId;
    await this.service.documents.use(outlineId, (document) =>
      document.write(({ doc }) => {
        const nodeText = textOf(nodesOf(doc), digits.slice(20));
        const at = nodeText?.toJSON().indexOf(behind) ?? -1;
        expect(at).toBeGreaterThanOrEqual(0);
        nodeText?.insert(at + behind.length, text);
      }),
    );
  }
}

test("[E37] what others typed since the name was read stays at its place", async ({ service }) => {
  const subject = await Subject.make(service, "milk and bread");
  expect(await subject.name()).toBe("milk and bread");
  await subject.type("milk", " (2 l)");
  await subject.update({ name: "milk and **rye** bread" });
  expect(await subject.storedName()).toBe("milk (2 l) and <b>rye</b> bread");
});

test("[E37] a listed and an exported name count as read", async ({ service }) => {
  for (const path of ["/api/v1/nodes", "/api/v1/nodes-export"]) {
    const subject = await Subject.make(service, "milk and bread");
    await service.request("GET", path);
    await subject.type("bread", ", 2");
    await subject.update({ name: "oat milk and bread" });
    expect(await subject.storedName()).toBe("oat milk and bread, 2");
  }
});

test("[E37] a name that is sent back as it was read changes nothing", async ({ service }) => {
  const subject = await Subject.make(service, "milk");
  const read = await subject.name();
  await subject.type("milk", " and bread");
  await subject.update({ name: read, note: "from the shop" });
  expect(await subject.storedName()).toBe("milk and bread");
});

test("[E37] what the key has written itself counts as read", async ({ service }) => {
  const subject = await Subject.make(service, "one");
  expect(await subject.name()).toBe("one");
  await subject.type("one", " typed");
  await subject.update({ name: "one *two*" });
  await subject.update({ name: "one *two* three" });
  const stored = await subject.storedName();
  expect(stored.replace(" typed", "")).toBe("one <i>two</i> three");
  expect(stored.split("typed").length).toBe(2);
});

test("[E37] a name that is read, changed and changed back is as it was", async ({ service }) => {
  const subject = await Subject.make(service, "before");
  const read = await subject.name();
  await subject.update({ name: "after" });
  await subject.update({ name: read });
  expect(await subject.storedName()).toBe("before");
});

test("[E37] the keys of one user do not disturb each other", async ({ service }) => {
  const { body } = await service.request("POST", "/api/v1/keys", { name: "second" });
  const { key: second } = body as { key: string };
  const subject = await Subject.make(service, "a b c");
  expect(await subject.name()).toBe("a b c");
  expect(await subject.name(second)).toBe("a b c");
  await subject.update({ name: "A b c" }, second);
  await subject.update({ name: "a b C" });
  expect(await subject.storedName()).toBe("A b C");
});

test("[E37] a key that never read the name replaces it", async ({ service }) => {
  const subject = await Subject.make(service, "a b c");
  await subject.type("c", " d");
  await subject.update({ name: "x" });
  expect(await subject.storedName()).toBe("x");
});

test("[E37] what a key writes once more is there, whatever others wrote meanwhile", async ({
  service,
}) => {
  const { body } = await service.request("POST", "/api/v1/keys", { name: "second" });
  const { key: second } = body as { key: string };
  for (const [name, html] of [
    ["on", "on"],
    ["**on** air", "<b>on</b> air"],
    ["# &lt;on&gt;", "&lt;on&gt;"],
  ] as const) {
    const subject = await Subject.make(service, "light");
    await subject.update({ name });
    await subject.update({ name: "off" }, second);
    await subject.update({ name });
    expect(await subject.storedName()).toBe(html);
    await subject.type("on", " and on");
    await subject.update({ name });
    expect(await subject.storedName()).toBe(html);
  }
});

test("[E37] a name that is sent back over and over is known no longer for that", async () => {
  let now = Date.UTC(2026, 10, 20);
  const service = await startService({ now: () => now });
  onTestFinished(() => service.close());
  const subject = await Subject.make(service, "milk");
  const read = await subject.name();
  await subject.type("milk", " and bread");
  for (let minute = 0; minute <= 10; minute++) {
    expect(await subject.storedName()).toBe("milk and bread");
    await subject.update({ name: read });
    now += 60_000;
  }
  await subject.update({ name: read });
  expect(await subject.storedName()).toBe("milk");
});

test("[E37] a system node that came back starts afresh", async ({ service }) => {
  const post = (path: string, body: object) => service.request("POST", `/api/v1${path}`, body);
  await post("/nodes", { parent_id: "inbox", name: "x" });
  await post("/nodes/inbox", { name: "In tray" });
  await service.request("GET", "/api/v1/nodes/inbox");
  await service.request("DELETE", "/api/v1/nodes/inbox");
  await post("/nodes", { parent_id: "inbox", name: "x" });
  await post("/nodes/inbox", { name: "Work" });
  const { body } = await service.request("GET", "/api/v1/nodes/inbox");
  expect((body as { node: { name: string } }).node.name).toBe("Work");
});
