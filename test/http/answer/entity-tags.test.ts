import { describe, expect } from "vitest";
import type { TestService } from "../../support/service.ts";
import { test } from "../http-test.ts";

const STALE = {
  code: "precondition_failed",
  message: "The node is not what `If-Match` says: read it again.",
};

async function newNode(service: TestService, name = "milk"): Promise<string> {
  const { body } = await service.request("POST", "/api/v1/nodes", { name });
  return (body as { item_id: string }).item_id;
}

async function tagOf(service: TestService, id: string): Promise<string> {
  const { headers } = await service.request("GET", `/api/v1/nodes/${id}`);
  return headers.get("etag") ?? "";
}

describe("[U57] a node that was read", () => {
  test("has an ETag, and is not sent again while it is the same", async ({ service }) => {
    const id = await newNode(service);
    const tag = await tagOf(service, id);
    expect(tag).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
    expect(await tagOf(service, id)).toBe(tag);
    for (const tags of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const answer = await fetch(`${service.url}/api/v1/nodes/${id}`, {
          method,
          headers: { authorization: `Bearer ${service.key}`, "if-none-match": tags },
        });
        expect([answer.status, await answer.text()]).toEqual([304, ""]);
        expect(answer.headers.get("etag")).toBe(tag);
        expect(answer.headers.get("content-type")).toBe(null);
        // To HEAD, fastify says a length of its own.
        if (method === "GET") expect(answer.headers.get("content-length")).toBe(null);
      }
    }
    const headers = { "if-none-match": '"other"' };
    const other = await service.request("GET", `/api/v1/nodes/${id}`, undefined, { headers });
    expect([other.status, other.headers.get("etag")]).toEqual([200, tag]);
  });

  test("has another one when anything of its answer changes", async ({ service }) => {
    const id = await newNode(service);
    const first = await newNode(service, "first");
    const tags = new Set([await tagOf(service, id)]);
    const changes: readonly [path: string, body: unknown][] = [
      [`/api/v1/nodes/${id}`, { name: "oat milk" }],
      [`/api/v1/nodes/${id}`, { note: "two" }],
      [`/api/v1/nodes/${id}`, { layoutMode: "todo" }],
      [`/api/v1/nodes/${id}/complete`, {}],
      [`/api/v1/nodes/${id}/move`, { parent_id: first }],
    ];
    for (const [path, body] of changes) {
      expect((await service.request("POST", path, body)).status).toBe(200);
      const headers = { "if-none-match": [...tags].join(", ") };
      const again = await service.request("GET", `/api/v1/nodes/${id}`, undefined, { headers });
      expect(again.status).toBe(200);
      tags.add(again.headers.get("etag") ?? "");
    }
    expect(tags.size).toBe(changes.length + 1);
  });

  test("has none when it is long, or when there is no such node", async ({ service }) => {
    const almost = await newNode(service, "x".repeat(15_000));
    expect(await tagOf(service, almost)).not.toBe("");
    for (const name of ["x".repeat(20_000), "漢".repeat(6_000), "x".repeat(300_000)]) {
      expect(await tagOf(service, await newNode(service, name))).toBe("");
    }
    expect(await tagOf(service, "nothing")).toBe("");
  });
});

describe("[U57] a list and a subtree that were read", () => {
  async function read(service: TestService, path: string, tag = "", method = "GET") {
    const headers = { "if-none-match": tag };
    const answer = await service.request(method, `/api/v1${path}`, undefined, { headers });
    return { status: answer.status, tag: answer.headers.get("etag") ?? "", body: answer.body };
  }

  for (const [what, at] of [
    ["the list", (id: string) => `/nodes?parent_id=${id}`],
    ["the subtree", (id: string) => `/nodes/${id}/tree?depth=2`],
  ] as const) {
    test(`${what} has an ETag that changes with what is in it, and with nothing else`, async ({
      service,
    }) => {
      const top = await newNode(service, "top");
      const make = async (parent: string, name = "below"): Promise<string> => {
        const made = { name, parent_id: parent };
        const { body } = await service.request("POST", "/api/v1/nodes", made);
        return (body as { item_id: string }).item_id;
      };
      const path = at(top);
      const child = await make(top);
      const first = await read(service, path);
      expect(first.tag).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
      const elsewhere = { name: "elsewhere", position: "bottom" };
      await service.request("POST", "/api/v1/nodes", elsewhere);
      for (const method of ["GET", "HEAD"]) {
        expect(await read(service, path, first.tag, method)).toEqual({
          status: 304,
          tag: first.tag,
          body: "",
        });
      }
      const tags = new Set([first.tag]);
      for (const change of [
        () => make(top),
        () => service.request("POST", `/api/v1/nodes/${child}`, { note: "n" }),
        () =>
          service.request("POST", `/api/v1/nodes/${child}/move`, {
            parent_id: top,
            position: "top",
          }),
        () => service.request("DELETE", `/api/v1/nodes/${child}`),
      ]) {
        await change();
        const now = await read(service, path, [...tags].join(", "));
        expect(now.status).toBe(200);
        tags.add(now.tag);
      }
      expect(tags.size).toBe(5);
      // Of a long answer there is none, whatever makes it long.
      await make(top, "x".repeat(20_000));
      expect(await read(service, path)).toMatchObject({ status: 200, tag: "" });
    });
  }

  test("what is too deep to be shown does not count, and with fields there is none", async ({
    service,
  }) => {
    const top = await newNode(service, "top");
    const { tag } = await read(service, `/nodes/${top}/tree?depth=0`);
    expect(tag).not.toBe("");
    expect((await read(service, `/nodes/${top}/tree?fields=name`)).tag).toBe("");
    expect((await read(service, "/nodes/None/tree?depth=0")).tag).not.toBe("");
  });
});

describe("[U58] with If-Match", () => {
  const WAYS: readonly [name: string, method: string, path: string, body?: unknown][] = [
    ["an update", "POST", "", { name: "mine" }],
    ["a long update", "POST", "", { name: "mine".repeat(30_000) }],
    ["a move", "POST", "/move", { parent_id: "today" }],
    ["completing", "POST", "/complete"],
    ["taking that back", "POST", "/uncomplete"],
    ["a deletion", "DELETE", ""],
  ];

  for (const [name, method, path, body] of WAYS) {
    test(`${name} is done only to the node as it was read`, async ({ service }) => {
      const id = await newNode(service);
      if (path === "/uncomplete") await service.request("POST", `/api/v1/nodes/${id}/complete`);
      const read = await tagOf(service, id);
      await service.request("POST", `/api/v1/nodes/${id}`, { note: "of another" });
      const now = await service.request("GET", `/api/v1/nodes/${id}`);
      const at = `/api/v1/nodes/${id}${path}`;
      for (const tags of [read, `W/${now.headers.get("etag")}`, "nonsense", ""]) {
        const headers = { "if-match": tags };
        const refused = await service.request(method, at, body, { headers });
        expect([refused.status, refused.body]).toEqual([412, { error: STALE.message, ...STALE }]);
      }
      expect((await service.request("GET", `/api/v1/nodes/${id}`)).body).toEqual(now.body);
      const headers = { "if-match": `"other", ${now.headers.get("etag")}` };
      expect((await service.request(method, at, body, { headers })).status).toBe(200);
      const after = await service.request("GET", `/api/v1/nodes/${id}`);
      expect(after.body).not.toEqual(now.body);
    });
  }

  test("any node that is there will do for a star, and one that is not is 404", async ({
    service,
  }) => {
    const headers = { "if-match": "*" };
    const id = await newNode(service, "x".repeat(20_000));
    const update = (ref: string) =>
      service.request("POST", `/api/v1/nodes/${ref}`, { name: "y" }, { headers });
    expect((await update(id)).status).toBe(200);
    expect((await update("nothing")).status).toBe(404);
  });

  test("a node that is too long for an ETag is never what was read", async ({ service }) => {
    const id = await newNode(service, "x".repeat(20_000));
    const headers = { "if-match": '"any"' };
    const at = `/api/v1/nodes/${id}`;
    expect((await service.request("DELETE", at, undefined, { headers })).status).toBe(412);
    expect((await service.request("GET", at)).status).toBe(200);
  });

  test("what has no ETag does not change", async ({ service }) => {
    const headers = { "if-match": "*" };
    const before = await service.request("GET", "/api/v1/nodes");
    for (const [path, body] of [
      ["/api/v1/nodes", { name: "new" }],
      ["/api/v1/batch", { operations: [{ op: "create", name: "new" }] }],
    ] as const) {
      const { status } = await service.request("POST", path, body, { headers });
      expect(status).toBe(412);
    }
    expect((await service.request("GET", "/api/v1/nodes")).body).toEqual(before.body);
  });
});
