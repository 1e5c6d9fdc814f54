import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { newMemoryDisk } from "../support/memory-store/memory-disk.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import { startService } from "../support/service.ts";
import { userOf } from "./changes-user.ts";
import { test } from "./http-test.ts";
import { openEvents } from "./open-events.ts";

const nothing = { changed: [], removed: [], more: false };

describe("[U88] a stream of events", () => {
  test("tells what changes, as the changes do, and where it is", async ({ service }) => {
    const { key, api, page, create } = await userOf(service, "events");
    const events = await openEvents(service, "", { key });
    expect([events.status, events.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    expect(events.headers["content-encoding"]).toBe(undefined);
    const begun = await events.begun();
    const id = await create("one");
    const told = await events.next();
    expect(told).toMatchObject({ event: "changes", data: { ...nothing, changed: [id] } });
    expect(await page(`since=${told?.id}`)).toMatchObject(nothing);
    expect((await page(`since=${begun}`)).changed).toHaveLength(1);
    await api("DELETE", `/nodes/${id}`);
    expect((await events.next())?.data).toEqual({ ...nothing, removed: [id] });
  });

  test("has nodes when they are asked for", async ({ service }) => {
    const { key, create } = await userOf(service, "events-nodes");
    const events = await openEvents(service, "fields=nodes", { key });
    await events.begun();
    const id = await create(`"quoted" \u2028 ${"x".repeat(200_000)}`);
    const data = (await events.next())?.data as { changed: { id: string; name: string }[] };
    expect(data.changed.map((node) => node.id)).toEqual([id]);
    expect(data.changed[0]?.name.length).toBeGreaterThan(200_000);
  });

  test("joins what changes at once", async ({ service }) => {
    const { key, create } = await userOf(service, "events-joined");
    const events = await openEvents(service, "", { key });
    await events.begun();
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => create(`${index}`)));
    const told = new Set<string>();
    let count = 0;
    while (told.size < 20) {
      const data = (await events.next())?.data as { changed: string[] };
      for (const id of data.changed) told.add(id);
      count += 1;
    }
    expect([...told].toSorted()).toEqual(ids.toSorted());
    expect(count).toBeLessThan(20);
  });

  test("tells much in several events", async ({ service }) => {
    const { key, api, cursor, create } = await userOf(service, "events-much");
    const since = await cursor();
    const parent = await create("parent");
    const children = Array.from({ length: 700 }, (_, index) => ({ name: `${index}` }));
    await api("POST", "/batch", {
      operations: [{ op: "create", parent_id: parent, name: "x", children }],
    });
    const events = await openEvents(service, `since=${since}`, { key });
    const [first, second] = [await events.next(), await events.next()];
    expect([first?.data, second?.data]).toMatchObject([{ more: true }, { more: false }]);
    const resumed = await openEvents(service, "", { key, lastEventId: first?.id ?? "" });
    expect((await resumed.next())?.data).toEqual(second?.data);
  });

  test("answers a HEAD at once", async ({ service }) => {
    const { status, headers } = await service.request("HEAD", "/api/v1/events");
    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    const wrong = await service.request("HEAD", "/api/v1/events?since=x");
    expect(wrong.status).toBe(400);
  });
});

describe("[U89] a stream that goes on", () => {
  test("begins where the last event was, or the cursor, also after a restart", async () => {
    const folder = await emptyFolder();
    const before = await startService({ store: "level", folder });
    const me = await userOf(before, "events-restart");
    const events = await openEvents(before, "", { key: me.key });
    await events.begun();
    const first = await me.create("first");
    const last = await events.next();
    expect(last?.data).toEqual({ ...nothing, changed: [first] });
    const second = await me.create("second");
    await before.close();
    const service = await startService({ store: "level", folder });
    onTestFinished(() => service.close());
    const other = await openEvents(service, `since=${last?.id}`, { key: me.key });
    expect((await other.next())?.data).toEqual({ ...nothing, changed: [second] });
    const both = await openEvents(service, "since=x", {
      key: me.key,
      lastEventId: last?.id ?? "",
    });
    expect((await both.next())?.data).toEqual({ ...nothing, changed: [second] });
  });

  test("is told when what it has can't be brought up to date, and goes on from now", async () => {
    const disk = newMemoryDisk();
    const service = await startService({ store: new MemoryStore({ disk }) });
    onTestFinished(() => service.close());
    const { key, cursor, create } = await userOf(service, "events-old");
    const since = await cursor();
    const open = await openEvents(service, "", { key });
    await open.begun();
    await create("unknown soon");
    expect((await open.next())?.event).toBe("changes");
    disk.epoch = "after a backup was put back";
    service.documents.evictAll("restored");
    const late = await openEvents(service, `since=${since}`, { key });
    for (const events of [open, late]) {
      expect(await events.next()).toMatchObject({ event: "reset", data: {} });
    }
    const id = await create("afterwards");
    for (const events of [open, late]) {
      expect((await events.next())?.data).toEqual({ ...nothing, changed: [id] });
    }
  });

  test("is refused with a cursor that is none, and where there is nothing", async ({ service }) => {
    const { key, cursor, create } = await userOf(service, "events-wrong");
    const root = await create("root");
    for (const [query, status] of [
      ["since=x", 400],
      [`since=${await cursor(`root=${root}`)}`, 400],
      ["root=nothing", 404],
      ["fields=none", 400],
    ] as const) {
      const { status: answered } = await openEvents(service, query, { key });
      expect([query, answered]).toEqual([query, status]);
    }
    const { status } = await openEvents(service, "", { key, lastEventId: "x" });
    expect(status).toBe(400);
  });
});

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "outline-events-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
