import { describe, expect, onTestFinished } from "vitest";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import { newMemoryDisk } from "../support/memory-store/memory-disk.ts";
import { startService, type ServiceAnswer } from "../support/service.ts";
import { NOTHING, type Page, userOf } from "./changes-user.ts";
import { faultyService } from "./faulty-service.ts";
import { test } from "./http-test.ts";
import { connected } from "./mcp-client.ts";

describe("[U80] changes", () => {
  test("without a cursor there is only that of now", async ({ service }) => {
    const { page, create } = await userOf(service, "begin");
    await create("before");
    const { cursor, ...told } = await page("");
    expect(told).toEqual(NOTHING);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,200}$/);
    expect(await page(`since=${cursor}`)).toEqual({ ...NOTHING, cursor });
  });

  test("are told once, as nodes are now, whatever happened to them", async ({ service }) => {
    const { api, told, cursor, create } = await userOf(service, "kinds");
    const renamed = await create("a");
    const moved = await create("b");
    const done = await create("c");
    const deleted = await create("d");
    await create("untouched");
    const since = await cursor();
    const gone = await create("made and gone");
    await api("POST", `/nodes/${renamed}`, { name: "a1" });
    await api("POST", `/nodes/${renamed}`, { name: "a2" });
    await api("POST", `/nodes/${moved}/move`, { parent_id: renamed });
    await api("POST", `/nodes/${done}/complete`);
    await api("DELETE", `/nodes/${deleted}`);
    await api("DELETE", `/nodes/${gone}`);
    expect(await told(`since=${since}`)).toEqual({
      changed: ["a2", "b", "c"],
      removed: [gone, deleted],
      more: false,
    });
    const { body } = await api("GET", `/changes?since=${since}&fields=ids`);
    expect((body as { changed: unknown }).changed).toEqual([renamed, moved, done]);
    const asNodes = await api("GET", `/changes?since=${since}&fields=nodes`);
    expect(asNodes.body).toEqual((await api("GET", `/changes?since=${since}`)).body);
  });

  test("[U85] what a limited key and its user are told of one part is found for each", async ({
    service,
  }) => {
    const { page, told, api, cursor, create, newKey } = await userOf(service, "apart");
    const [origin, place] = [await create("origin"), await create("place")];
    await api("POST", `/nodes/${origin}/mirror`, { parent_id: place });
    const { key } = await newKey({ root_id: place });
    const [since, limited] = [await cursor(`root=${place}`), await cursor("", key)];
    await api("POST", `/nodes/${origin}`, { name: "renamed" });
    await create("new", place);
    const [whole, part] = [`root=${place}&since=${since}`, `since=${limited}`];
    expect(await page(`${whole}&limit=1`)).toMatchObject({ more: true });
    const { changed } = await told(part, key);
    expect(changed).toEqual(["new"]);
    await create("newer", place);
    expect(await page(`${part}&limit=1`, key)).toMatchObject({ more: true });
    expect((await told(whole)).changed).toEqual(["renamed", "new", "newer"]);
  });

  test("a mirror changes with its origin, and an origin when its mirrors come and go", async ({
    service,
  }) => {
    const { api, told, cursor, create } = await userOf(service, "mirrors");
    const [origin, place] = [await create("origin"), await create("place")];
    let since = await cursor();
    const { body } = await api("POST", `/nodes/${origin}/mirror`, { parent_id: place });
    expect(body).toMatchObject({ item_id: expect.any(String) });
    expect((await told(`since=${since}`)).changed).toEqual(["origin", "origin"]);
    since = await cursor();
    await api("POST", `/nodes/${origin}`, { name: "renamed" });
    expect((await told(`since=${since}`)).changed).toEqual(["renamed", "renamed"]);
    since = await cursor();
    await api("DELETE", `/nodes/${place}`);
    expect(await told(`since=${since}`)).toEqual({
      changed: ["renamed"],
      removed: [place],
      more: false,
    });
  });
});

test("[U81] what was moved out of what is deleted survives in a copy", async ({ service }) => {
  const { api, page, cursor, create } = await userOf(service, "survivor");
  const [folder, other] = [await create("folder"), await create("other")];
  const child = await create("child", folder);
  await create("grandchild", child);
  const since = await cursor();
  await api("POST", `/nodes/${child}/move`, { parent_id: other });
  await api("DELETE", `/nodes/${folder}`);
  const { changed, removed } = await page(`since=${since}`);
  expect(changed.map(({ id, parent_id }) => [id, parent_id])).toEqual([[child, other]]);
  expect(removed).toEqual([folder]);
});

test("[U82] pages tell all of it once, in the end what was removed", async ({ service }) => {
  const { api, page, cursor, create } = await userOf(service, "pages");
  const gone = await create("gone");
  const since = await cursor();
  await api("DELETE", `/nodes/${gone}`);
  const names = Array.from({ length: 25 }, (_, index) => `n${index}`);
  for (const name of names) await create(name);
  const told: string[] = [];
  let next = since;
  for (let pages = 1; ; pages++) {
    const { changed, removed, more, cursor: behind } = await page(`since=${next}&limit=10`);
    told.push(...changed.map(({ name }) => name));
    next = behind;
    expect(removed).toEqual(more ? [] : [gone]);
    if (!more) {
      expect(pages).toBe(3);
      break;
    }
    if (pages === 1) await api("POST", `/nodes/${changed[0]?.id}`, { name: "again" });
  }
  expect(told).toEqual([...names, "again"]);
  expect(await page(`since=${next}`)).toEqual({ ...NOTHING, cursor: next });
});

test("[Q79] what was found for more lists than are kept is found anew", async ({ service }) => {
  const { page, cursor, create } = await userOf(service, "many-lists");
  const cursors: string[] = [];
  for (let count = 0; count < 40; count++) {
    cursors.push(await cursor());
    await create(`n${count}`);
  }
  const told = cursors.map((): string[] => []);
  for (let turn = 0; turn < 3; turn++) {
    for (const [index, since] of cursors.entries()) {
      const next = await page(`since=${since}&limit=${turn < 2 ? 1 : 100}`);
      cursors[index] = next.cursor;
      told[index]?.push(...next.changed.map(({ name }) => name));
    }
  }
  const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
  expect(told).toEqual(names.map((_, index) => names.slice(index)));
});

describe("[U83] a cursor", () => {
  test("is of one user, root and reach, and well-formed", async ({ service }) => {
    const { outcome, cursor, create, newKey } = await userOf(service, "cursors");
    const other = await userOf(service, "others");
    const root = await create("root");
    const limited = await newKey({ root_id: root });
    const since = await cursor();
    expect(await outcome(`since=${since}`)).toBe("200");
    expect(await other.outcome(`since=${since}`)).toBe("400 invalid_cursor");
    expect(await outcome(`since=${since}&root=${root}`)).toBe("400 invalid_cursor");
    expect(await outcome(`since=${since}`, limited.key)).toBe("400 invalid_cursor");
    const text = Buffer.from(since, "base64url").toString();
    const forge = (more: unknown[]): string => {
      const [version, hash] = JSON.parse(text) as unknown[];
      return Buffer.from(JSON.stringify([version, hash, ...more])).toString("base64url");
    };
    const [, , epoch] = JSON.parse(text) as unknown[];
    for (const [parts, expected] of [
      [[epoch, -1, 0, ""], "400 invalid_cursor"],
      [[epoch, 0, -1, ""], "400 invalid_cursor"],
      [[epoch, 0, 0, "x"], "400 invalid_cursor"],
      [[epoch, 0, 0], "400 invalid_cursor"],
      [[epoch, "0", 0, ""], "400 invalid_cursor"],
      [[1, 0, 0, ""], "400 invalid_cursor"],
      [[epoch, 0.5, 0, ""], "400 invalid_cursor"],
      [[epoch, 1_000_000, 0, ""], "410 cursor_expired"],
      [["another", 0, 0, ""], "410 cursor_expired"],
    ] as const) {
      expect([parts, await outcome(`since=${forge([...parts])}`)]).toEqual([parts, expected]);
    }
    for (const bad of ["", "x", "%00", "a".repeat(300), "since", "..%2F"]) {
      expect([bad, await outcome(`since=${bad}`)]).toEqual([bad, "400 invalid_cursor"]);
    }
    for (const query of ["limit=0", "limit=-1", "limit=1.5", "wait=-1", "wait=1.5", "fields=x"]) {
      expect([query, await outcome(query)]).toEqual([query, "400 invalid_request"]);
    }
    expect(await outcome(`since=${since}&limit=999999999999`)).toBe("200");
  });

  test("outlives a restart, and no restored backup", async () => {
    const disk = newMemoryDisk();
    const first = await startService({ store: new MemoryStore({ disk }) });
    const { api, cursor, create, key } = await userOf(first, "restart");
    const node = await create("node");
    const since = await cursor();
    await api("POST", `/nodes/${node}`, { name: "renamed" });
    await first.close();
    const again = await startService({ store: new MemoryStore({ disk }) });
    onTestFinished(() => again.close());
    const ask = (): Promise<ServiceAnswer> =>
      again.request("GET", `/api/v1/changes?since=${since}`, undefined, { key });
    const { changed } = (await ask()).body as Page;
    expect(changed.map(({ name }) => name)).toEqual(["renamed"]);
    disk.epoch = "after a backup was put back";
    again.documents.evictAll("restored");
    expect((await ask()).body).toMatchObject({ code: "cursor_expired" });
  });

  test("[Q78] expires when more has changed since than is kept, or it is too old", async () => {
    let now = Date.now();
    const service = await startService({
      now: () => now,
      documentLimits: { maxChanges: 300, changesMs: 1_000_000 },
      store: new MemoryStore({ disk: newMemoryDisk() }),
    });
    onTestFinished(() => service.close());
    const { api, outcome, cursor, create } = await userOf(service, "expiry");
    const node = await create("node");
    const old = await cursor();
    for (let count = 0; count < 350; count++)
      await api("POST", `/nodes/${node}`, { name: `${count}` });
    service.documents.evictAll("test");
    for (let count = 0; count < 110; count++)
      await api("POST", `/nodes/${node}`, { name: `${count}` });
    service.documents.evictAll("test");
    expect(await outcome(`since=${old}`)).toBe("410 cursor_expired");
    const late = await cursor();
    await create("another");
    now += 2_000_000;
    expect(await outcome(`since=${late}`)).toBe("200");
    for (let count = 0; count < 110; count++)
      await api("POST", `/nodes/${node}`, { name: `${count}` });
    service.documents.evictAll("test");
    expect(await outcome(`since=${late}`)).toBe("410 cursor_expired");
  });
});

test("[U84] an append that was not durable is in no changes, and one that was is", async () => {
  const { service, log } = await faultyService();
  const { told, cursor, create } = await userOf(service, "faults");
  const since = await cursor();
  await create("first");
  log.fault = "lie";
  await create("arrived all the same");
  log.fault = "fail";
  await create("lost");
  log.recover();
  await expect.poll(() => create("last")).toMatch(/-/);
  const { changed } = await told(`since=${since}`);
  expect(changed.filter((name) => name !== "last")).toEqual(["first", "arrived all the same"]);
});

describe("[U85] a part of the outline", () => {
  test("tells what was moved in with all below it, what was moved out, and nothing else", async ({
    service,
  }) => {
    const { api, told, cursor, create, newKey } = await userOf(service, "parts");
    const [root, outside] = [await create("root"), await create("outside")];
    const secret = await create("secret", outside);
    const shared = await create("shared", outside);
    await create("below", shared);
    const leaving = await create("leaving", root);
    await create("left", leaving);
    const { key } = await newKey({ root_id: root, scope: "read" });
    const [limited, rooted] = [await cursor("", key), await cursor(`root=${root}`)];
    await api("POST", `/nodes/${secret}`, { name: "still secret" });
    await api("POST", `/nodes/${shared}/move`, { parent_id: root });
    await api("POST", `/nodes/${leaving}/move`, { parent_id: outside });
    await api("DELETE", `/nodes/${secret}`);
    const expected = { changed: ["below", "shared"], removed: [leaving], more: false };
    const sorted = async (query: string, as?: string) => {
      const { changed, ...rest } = await told(query, as);
      return { changed: changed.toSorted(), ...rest };
    };
    expect(await sorted(`since=${limited}`, key)).toEqual(expected);
    expect(await sorted(`since=${rooted}&root=${root}`)).toEqual(expected);
  });

  test("is 404 while it is not there, and then goes on", async ({ service }) => {
    const { api, told, outcome, cursor, create } = await userOf(service, "parts-gone");
    const root = await create("root");
    await create("inside", root);
    const since = await cursor(`root=${root}`);
    const ask = `since=${since}&root=${root}`;
    await api("DELETE", `/nodes/${root}`);
    expect(await outcome(ask)).toBe("404 not_found");
    expect(await outcome(`root=${"0".repeat(11)}f`)).toBe("404 not_found");
    expect((await told(`since=${await cursor()}`)).changed).toEqual([]);
  });
});

test("[J13] an assistant follows the outline with outline_changes", async ({ service }) => {
  const { key, create, api } = await userOf(service, "assistant");
  const folder = await create("folder");
  const assistant = await connected(service, { key });
  const first = await assistant.tool("outline_changes", {});
  const { cursor: since } = first.output as { cursor: string };
  const node = await create("**bold** task", folder);
  await api("POST", `/nodes/${node}/complete`);
  const short = (id: string): string => id.slice(-12);
  const told = await assistant.tool("outline_changes", { since, limit: 1 });
  expect(told.output).toMatchObject({
    changed: [{ id: short(node), in: short(folder), text: "**bold** task", completed: true }],
    removed: [],
    more: false,
  });
  await api("DELETE", `/nodes/${folder}`);
  const { cursor } = told.output as { cursor: string };
  const gone = await assistant.tool("outline_changes", { since: cursor });
  expect(gone.output).toMatchObject({ changed: [], removed: [short(folder)] });
  expect((await assistant.tool("outline_changes", { since: "x" })).isError).toBe(true);
});
