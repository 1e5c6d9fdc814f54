import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, onTestFinished } from "vitest";
import { startService, type TestService } from "../support/service.ts";
import { userOf } from "./changes-user.ts";
import { faultyService } from "./faulty-service.ts";
import { test } from "./http-test.ts";
import { openEvents } from "./open-events.ts";

const PATIENT = { timeout: 60_000 };

/** A service, and the way to have what waits for so many milliseconds come at once. */
async function serviceWithAlarms() {
  const alarms = new Map<number, { readonly handle: unknown; readonly callback: () => void }>();
  const service = await startService({
    heldTimers: {
      setTimeout(callback, ms) {
        const handle = setTimeout(callback, ms);
        alarms.set(ms, { handle, callback });
        return handle;
      },
      clearTimeout(handle) {
        clearTimeout(handle as NodeJS.Timeout);
        for (const [ms, alarm] of alarms) if (alarm.handle === handle) alarms.delete(ms);
      },
    },
    now: () => NOW,
  });
  onTestFinished(() => service.close());
  const ring = async (ms: number): Promise<void> => {
    await expect.poll(() => alarms.has(ms), PATIENT).toBe(true);
    alarms.get(ms)?.callback();
  };
  return { service, ring };
}

const NOW = Date.UTC(2026, 7, 1);

/** A stream of nodes that nobody reads until it is full, and the server's end of its connection. */
async function unreadStream(service: TestService, key: string) {
  const [events, [socket]] = await Promise.all([
    openEvents(service, "fields=nodes", { key }),
    once(service.app.server, "connection") as Promise<[Socket]>,
  ]);
  const last = await events.begun();
  events.response.pause();
  return { events, socket, last };
}

describe("[U90] a stream", () => {
  test("sends a comment every 15 seconds, and ends after an hour", async () => {
    const { service, ring } = await serviceWithAlarms();
    const events = await openEvents(service);
    await events.begun();
    await ring(15_000);
    await expect.poll(() => events.comments, PATIENT).toBe(1);
    expect(events.retryMs).toBeGreaterThanOrEqual(1_000);
    expect(events.retryMs).toBeLessThan(2_000);
    await ring(3_600_000);
    expect(await events.next()).toBe(undefined);
    expect(events.response.complete).toBe(true);
  });

  test("keeps no document open, and is moved on by what does not concern it", async () => {
    const { service, ring } = await serviceWithAlarms();
    const { key, create } = await userOf(service, "events-quiet");
    const root = await create("root");
    const events = await openEvents(service, `root=${root}`, { key });
    const begun = await events.begun();
    const pinned = (): number => service.documents.stats().pinned;
    await expect.poll(pinned, PATIENT).toBe(0);
    await create("elsewhere");
    await ring(100);
    await expect.poll(pinned, PATIENT).toBe(0);
    await ring(15_000);
    await expect.poll(() => events.id === begun, PATIENT).toBe(false);
    const id = await create("inside", root);
    expect((await events.next())?.data).toMatchObject({ changed: [id] });
    await expect.poll(pinned, PATIENT).toBe(0);
  });

  test("ends with its key: when it is revoked, and when it expires", async () => {
    const { service, ring } = await serviceWithAlarms();
    const { api, create, newKey } = await userOf(service, "events-revoked");
    const revoked = await newKey({});
    const expiring = await newKey({ expiresAt: NOW / 1000 + 77 });
    const first = await openEvents(service, "", { key: revoked.key });
    const second = await openEvents(service, "", { key: expiring.key });
    await Promise.all([first.begun(), second.begun()]);
    await api("DELETE", `/keys/${revoked.id}`);
    expect(await first.next()).toBe(undefined);
    const { status } = await openEvents(service, "", { key: revoked.key });
    expect(status).toBe(401);
    await ring(77_000);
    expect(await second.next()).toBe(undefined);
    await create("told to nobody");
    expect(`${first.text}${second.text}`).not.toContain("event:");
  });

  test("ends with the service, and with what it follows", async () => {
    const service = await startService();
    const { key, api, create } = await userOf(service, "events-gone");
    const root = await create("root");
    const part = await openEvents(service, `root=${root}`, { key });
    const all = await openEvents(service, "", { key });
    await Promise.all([part.begun(), all.begun()]);
    await api("DELETE", `/nodes/${root}`);
    expect(await part.next()).toBe(undefined);
    expect((await all.next())?.data).toMatchObject({ removed: [root] });
    await service.close();
    expect(await all.next()).toBe(undefined);
  });

  test("ends while the store fails, and goes on when it works again", async () => {
    const { service, log } = await faultyService();
    const { key, create } = await userOf(service, "events-faulty");
    const events = await openEvents(service, "", { key });
    const begun = await events.begun();
    log.fault = "fail";
    await create("lost");
    expect(await events.next()).toBe(undefined);
    expect(events.response.complete).toBe(true);
    log.recover();
    let id = "";
    await expect.poll(async () => (id = await create("made")), PATIENT).toMatch(/-/);
    const again = await openEvents(service, "", { key, lastEventId: begun });
    expect((await again.next())?.data).toMatchObject({ changed: [id] });
  });
});

describe("[Q81] a stream that is not read", () => {
  test("holds a little, makes no more, and is hung up on; then it goes on where it was", async () => {
    const service = await startService();
    onTestFinished(() => service.close());
    const { key, api, create } = await userOf(service, "events-unread");
    const id = await create("node");
    const { events, socket, last } = await unreadStream(service, key);
    const write = (round: number) =>
      api("POST", `/nodes/${id}`, { name: `${round}${"x".repeat(900_000)}` });
    let round = 0;
    await expect
      .poll(async () => {
        await write(round++);
        return socket.writableLength;
      }, PATIENT)
      .toBeGreaterThan(0);
    for (let more = 0; more < 5; more++) await write(round++);
    expect(service.memory.bytes).toBeGreaterThan(0);
    expect(service.memory.bytes + socket.writableLength).toBeLessThan(1024 * 1024);
    service.app.server.emit("timeout", socket);
    await expect.poll(() => socket.destroyed, PATIENT).toBe(true);
    await expect.poll(() => service.memory.bytes, PATIENT).toBe(0);
    await expect.poll(() => service.documents.stats().pinned, PATIENT).toBe(0);
    events.close();
    const again = await openEvents(service, "fields=nodes", { key, lastEventId: last });
    const told = (await again.next())?.data as { changed: { name: string }[] };
    expect(told.changed[0]?.name.startsWith(`${round - 1}x`)).toBe(true);
  });

  test("ends with its key", async () => {
    const service = await startService();
    onTestFinished(() => service.close());
    const { api, create, newKey } = await userOf(service, "events-unread-revoked");
    const node = await create("node");
    const { id, key } = await newKey({});
    const { socket } = await unreadStream(service, key);
    let round = 0;
    await expect
      .poll(async () => {
        await api("POST", `/nodes/${node}`, { name: `${round++}${"x".repeat(900_000)}` });
        return socket.writableLength;
      }, PATIENT)
      .toBeGreaterThan(0);
    await api("DELETE", `/keys/${id}`);
    await expect.poll(() => socket.destroyed, PATIENT).toBe(true);
    await expect.poll(() => service.memory.bytes, PATIENT).toBe(0);
  });

  test("[Q80] ten of a key are open at one time, waiting answers with them", async ({
    service,
  }) => {
    const { key, ask, cursor } = await userOf(service, "events-many");
    const since = await cursor();
    const open = () => openEvents(service, "", { key });
    const streams = await Promise.all(Array.from({ length: 10 }, open));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    expect((await open()).status).toBe(429);
    expect((await ask(`since=${since}&wait=60`)).status).toBe(429);
    streams[0]?.close();
    await expect.poll(async () => (await open()).status, PATIENT).toBe(200);
  });
});
