import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished } from "vitest";

import { startService } from "../support/service.ts";
import { Api } from "./support/api.ts";
import { newUserName, test } from "./support/api-test.ts";
import { plant } from "./support/sketch.ts";

/** The name of a node, read over a connection that nothing else ever used. */
function nameOverOwnConnection(url: string, key: string, id: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const request = httpRequest(`${url}/api/v1/nodes/${id}`, { agent: false, headers });
    request.on("error", reject);
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => {
        const { node } = JSON.parse(text) as { node: { name: string } };
        resolve(node.name);
      });
    });
    request.end();
  });
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "outline-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("what was answered", () => {
  test("[N41] is in the next read on any connection", async ({ api, service }) => {
    const id = await api.create({ name: "0" });
    for (let round = 1; round <= 50; round += 1) {
      await api.update(id, { name: `${round}` });
      const name = await nameOverOwnConnection(service.url, api.key ?? "", id);
      expect(name).toBe(`${round}`);
    }
  });

  test("[N41] is in the next read when many write at once", async ({ api }) => {
    const parent = await api.create({ name: "parent" });
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; round < 20; round += 1) {
        const id = await api.create({ parent_id: parent, name: `${writer}.${round}` });
        const children = await api.children(parent);
        expect(children.map((node) => node.id)).toContain(id);
      }
    });
    await Promise.all(writers);
    const names = (await api.children(parent)).map((node) => node.name);
    expect(new Set(names).size).toBe(160);
  });

  test("[N3, N42] is there after a restart", async ({ clock }) => {
    clock.reset();
    const folder = await temporaryFolder();
    const options = { store: "level", folder, now: clock.now, exportLimitMs: 0 } as const;
    const first = await startService(options);
    const { key } = await first.newUser(newUserName());
    const before = new Api(first.url, key);
    const id = await plant(before, "a(b(c) d) e f(g)");
    await before.update(id("c"), { name: "**bold** & [2026-08-01]", note: "two\nlines" });
    await before.create({ name: "x\n\n```\ncode  \n\ncode\n```", position: "bottom" });
    await before.create({ parent_id: "today", name: "# entry" });
    await before.create({ parent_id: "inbox", name: "- [x] done" });
    await before.update("inbox", { name: "renamed" });
    clock.advance(100);
    await before.complete(id("d"));
    await before.move(id("e"), { parent_id: id("b"), position: "bottom" });
    await before.remove(id("f"));
    await before.setShortcut("work", id("d"));
    await before.setShortcut("home", "today");
    await before.configure({ timezone: "Asia/Tokyo", weekStart: 6 });
    const reader = await before.keyed({ name: "reader", scope: "read", root_id: id("a") });
    const seen = await reader.export();
    // Nobody waits for the note of a key's use.
    await expect.poll(async () => (await before.keys()).at(-1)?.lastUsedAt).not.toBeNull();
    const state = { ...((await before.state()) as object), keys: await before.keys() };
    await first.close();

    clock.advance(30);
    const second = await startService(options);
    onTestFinished(() => second.close());
    const after = new Api(second.url, key);
    expect({ ...((await after.state()) as object), keys: await after.keys() }).toEqual(state);
    expect(await after.withKey(reader.key).export()).toEqual(seen);
    expect(await after.outcome("GET", `/nodes/${id("g")}`)).toBe("404 not_found");
    await after.create({ parent_id: id("b"), name: "new" });
    const children = await after.children(id("b"));
    expect(children.map((node) => node.id).slice(1)).toEqual([id("c"), id("e")]);
  });
});
