import { describe, expect } from "vitest";
import { nodesOf, notesOf, textOf } from "../../src/core/schema.ts";
import type { TestService } from "../support/service.ts";
import { test } from "./http-test.ts";

/** A node, its id, and what a person types in it in an app. */
class Subject {
  readonly service: TestService;
  readonly id: string;

  constructor(service: TestService, id: string) {
    this.service = service;
    this.id = id;
  }

  static async make(service: TestService, name: string, note?: string): Promise<Subject> {
    const { body } = await service.request("POST", "/api/v1/nodes", { name, note });
    return new Subject(service, (body as { item_id: string }).item_id);
  }

  async read(): Promise<{ readonly name: string; readonly note: string | null }> {
    const { body } = await this.service.request("GET", `/api/v1/nodes/${this.id}`);
    const { name, note } = (body as { node: { name: string; note: string | null } }).node;
    return { name, note };
  }

  async name(): Promise<string> {
    return (await this.read()).name;
  }

  async update(fields: object, key = this.service.key): Promise<void> {
    const answer = await this.service.request("POST", `/api/v1/nodes/${this.id}`, fields, { key });
    expect(answer.body).toEqual({ status: "ok" });
  }

  /** Types a text behind the given one, as an app does through its socket. */
  async type(behind: string, text: string, part: "name" | "note" = "name"): Promise<void> {
    const principal = await this.service.accounts.authenticate(this.service.key);
    if (principal === undefined) throw new Error("the key is valid");
    await this.service.documents.use(principal.outline, (document) =>
      document.write(({ doc }) => {
        const nodeText = textOf(nodesOf(doc), this.id.slice(-12));
        const edited = part === "name" || nodeText === undefined ? nodeText : notesOf(nodeText)[0];
        const at = edited?.toJSON().indexOf(behind) ?? -1;
        expect(at).toBeGreaterThanOrEqual(0);
        edited?.insert(at + behind.length, text);
      }),
    );
  }
}

/** A second key of the same user. */
async function secondKey(service: TestService): Promise<string> {
  const { body } = await service.request("POST", "/api/v1/keys", { name: "second" });
  return (body as { key: string }).key;
}

describe("without a base", () => {
  test.for([
    ["count 7", "count 8", "count 9"],
    ["Alice", "Bob", "Carol"],
    ["a b c", "A b c", "a b C"],
    ["read", "written over", "read"],
  ] as const)(
    "[E37, D8, N41] one reads %j, another writes %j, and %j is stored",
    async (row, { service }) => {
      const [read, others, sent] = row;
      const subject = await Subject.make(service, read, read);
      expect(await subject.read()).toEqual({ name: read, note: read });
      await subject.update({ name: others, note: others }, await secondKey(service));
      await subject.update({ name: sent, note: sent });
      expect(await subject.read()).toEqual({ name: sent, note: sent });
    },
  );

  test("[E37] what was typed since is gone, however the name was read", async ({ service }) => {
    for (const path of ["/api/v1/nodes", "/api/v1/nodes-export"]) {
      const subject = await Subject.make(service, "milk and bread");
      await service.request("GET", path);
      await subject.type("bread", ", 2");
      await subject.update({ name: "oat milk and bread" });
      expect(await subject.name()).toBe("oat milk and bread");
    }
  });
});

describe("with a base", () => {
  test("[E37] what others wrote since stays at its place", async ({ service }) => {
    const subject = await Subject.make(service, "milk and bread", "two\nthree");
    const { name, note } = await subject.read();
    await subject.type("milk", " (2 l)");
    await subject.type("two", " or so", "note");
    await subject.update({ name: "milk and **rye** bread", base_name: name });
    await subject.update({ note: "one\ntwo\nthree", base_note: note });
    expect(await subject.read()).toEqual({
      name: "milk (2 l) and <b>rye</b> bread",
      note: "one\ntwo or so\nthree",
    });
  });

  test("[E37] what was read and is sent back changes nothing", async ({ service }) => {
    const subject = await Subject.make(service, "a &gt; **b**", "x & y");
    const read = await subject.read();
    await subject.type("b", "c");
    await subject.type("x", "z", "note");
    const now = await subject.read();
    expect(now).not.toEqual(read);
    await subject.update({
      name: read.name,
      base_name: read.name,
      note: read.note,
      base_note: read.note,
    });
    expect(await subject.read()).toEqual(now);
  });

  test("[E37] a note that was read as none is a base too", async ({ service }) => {
    const subject = await Subject.make(service, "x");
    const { note } = await subject.read();
    expect(note).toBe(null);
    await subject.update({ note: "theirs" }, await secondKey(service));
    await subject.update({ note: "ours", base_note: note });
    expect((await subject.read()).note).toBe("theirsours");
    await subject.update({ note: null, base_note: "ours" });
    expect((await subject.read()).note).toBe("theirs");
  });

  test("[E37] any text is a base, one that was never here too", async ({ service }) => {
    const subject = await Subject.make(service, "one two three");
    await subject.update({ name: "six", base_name: "<b>x</b>y" });
    expect(await subject.name()).toBe("one two threesix");
    await subject.update({ name: "", base_name: "one two threesix" });
    expect(await subject.name()).toBe("");
  });

  test.for([
    [{ base_name: "x" }],
    [{ base_name: "x", name: null }],
    [{ base_note: "x" }],
    [{ base_note: "x", name: "y" }],
    [{ base_name: 5, name: "y" }],
    [{ base_note: false, note: "y" }],
  ])("[E37] %o is refused", async ([fields], { service }) => {
    const subject = await Subject.make(service, "before", "before");
    const path = `/api/v1/nodes/${subject.id}`;
    const { status, body } = await service.request("POST", path, fields);
    expect([status, (body as { code: string }).code]).toEqual([400, "invalid_request"]);
    expect(await subject.read()).toEqual({ name: "before", note: "before" });
  });

  test("[E37] a base that is null where nothing is sent counts as not given", async ({
    service,
  }) => {
    const subject = await Subject.make(service, "before", "before");
    await subject.update({ name: "after", base_name: null, base_note: null });
    expect(await subject.read()).toEqual({ name: "after", note: "before" });
  });
});

test("[E37] a system node that came back has nothing of its earlier name", async ({ service }) => {
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
