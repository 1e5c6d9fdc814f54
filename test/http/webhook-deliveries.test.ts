import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FailingWebhook } from "../../src/accounts/account-store.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import { nextAttempt, untilNext } from "../../src/http/webhooks/retries.ts";
import { newMemoryDisk } from "../support/memory-store/memory-disk.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import { startService } from "../support/service.ts";
import { answering } from "../support/webhook-receiver.ts";
import { userOf } from "./changes-user.ts";
import { openReceiver, webhookWorld } from "./webhook-world.ts";

const PATIENT = { timeout: 60_000 };
const HOUR_MS = 3_600_000;

describe("[U113] messages come", () => {
  test("one after the other, each with all that has changed since the one before", async () => {
    const { receiver, me, make } = await webhookWorld();
    await make();
    const held: (() => void)[] = [];
    receiver.answer = (response) => held.push(() => response.writeHead(200).end());
    const first = await me.create("first");
    expect((await receiver.next()).data.changed).toEqual([first]);
    const others: string[] = [];
    for (const name of ["second", "third", "fourth"]) others.push(await me.create(name));
    expect(receiver.messages).toHaveLength(1);
    held.pop()?.();
    expect((await receiver.next()).data.changed).toEqual(others);
  });

  test("again with the same id until they have arrived, and are told with what has changed since", async () => {
    const { receiver, me, make, shown, clock } = await webhookWorld();
    const { id } = await make();
    receiver.answer = answering(503);
    const first = await me.create("first");
    const failed = await receiver.next();
    const nextAttempt = async (): Promise<number> => ((await shown(id)).nextAttemptAt ?? 0) * 1000;
    await expect.poll(nextAttempt, PATIENT).toBeGreaterThan(clock.now());
    clock.advance(7_000);
    const again = await receiver.next();
    expect([again.id, again.data]).toEqual([failed.id, failed.data]);
    await expect.poll(nextAttempt, PATIENT).toBeGreaterThan(clock.now());
    const second = await me.create("second");
    receiver.answer = answering(200);
    clock.advance(70_000);
    const arrived = await receiver.next();
    expect(arrived.data).toMatchObject({ webhook_id: id, changed: [first, second] });
    expect(arrived.id).not.toBe(failed.id);
  });

  test("in parts when there is much", async () => {
    const { receiver, me, make } = await webhookWorld();
    await make();
    const children = Array.from({ length: 700 }, (_, index) => ({ name: `${index}` }));
    await me.api("POST", "/batch", { operations: [{ op: "create", name: "x", children }] });
    const [one, other] = [await receiver.next(), await receiver.next()];
    expect([one.data.more, one.data.changed?.length]).toEqual([true, 500]);
    expect([other.data.more, other.data.changed?.length]).toEqual([false, 201]);
    expect(new Set([...(one.data.changed ?? []), ...(other.data.changed ?? [])]).size).toBe(701);
  });

  test("after a restart, from where the last one had arrived", async () => {
    const folder = await mkdtemp(join(tmpdir(), "outline-webhooks-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const before = await webhookWorld({ store: "level", folder });
    const { id } = await before.make();
    const first = await before.me.create("first");
    const told = await before.receiver.next();
    expect(told.data.changed).toEqual([first]);
    await expect.poll(async () => (await before.shown(id)).lastDeliveredAt, PATIENT).not.toBe(null);
    before.receiver.answer = () => undefined;
    const second = await before.me.create("second");
    const unanswered = await before.receiver.next();
    await before.close();
    before.receiver.answer = answering(200);
    const service = await startService({
      store: "level",
      folder,
      limits: { insecureWebhooks: true },
    });
    onTestFinished(() => service.close());
    const again = await before.receiver.next();
    expect([again.id, again.data.changed]).toEqual([unanswered.id, [second]]);
  });
});

/** Waits until it is known what becomes of a message that has failed. */
async function decided(
  { shown, clock }: Pick<Awaited<ReturnType<typeof webhookWorld>>, "shown" | "clock">,
  id: string,
) {
  const isDecided = async (): Promise<boolean> => {
    const { state, nextAttemptAt } = await shown(id);
    return state === "off" || (nextAttemptAt ?? 0) * 1000 > clock.now();
  };
  await expect.poll(isDecided, PATIENT).toBe(true);
  return shown(id);
}

describe("[U114] what does not arrive", () => {
  test("waits no longer because the clock was set back", () => {
    const now = 1_795_000_000_000;
    let failing: FailingWebhook | undefined;
    for (let attempts = 1; attempts <= 8; attempts += 1) {
      failing = nextAttempt(failing, { error: "", now, spread: 1 });
      const waitMs = (failing?.nextAt ?? 0) - now;
      expect(untilNext(failing, now)).toBe(waitMs);
      for (const backMs of [HOUR_MS, 5 * HOUR_MS, 72 * HOUR_MS]) {
        expect(untilNext(failing, now - backMs)).toBe(0);
      }
    }
  });

  test("is sent again after 5 s, 1, 5 and 30 min, 2 h, then every 6 h, and given up after three days", async () => {
    const { receiver, me, make, shown, clock } = await webhookWorld();
    const { id } = await make();
    receiver.answer = answering(500);
    const first = await me.create("first");
    const waits: number[] = [];
    for (let last = clock.now(); ; last = clock.now()) {
      await receiver.next();
      const { state, reason, nextAttemptAt } = await decided({ shown, clock }, id);
      if (state === "off") break;
      expect([state, reason]).toEqual(["failing", "It was answered 500."]);
      const waitMs = (nextAttemptAt ?? 0) * 1000 - last;
      waits.push(waitMs);
      // Woken by nothing else.
      await me.create("meanwhile");
      clock.advance(waitMs + 1000);
    }
    const usual = [5, 60, 300, 1800, 7200, ...Array.from({ length: 12 }, () => 21_600)];
    for (const [index, waitMs] of waits.entries()) {
      const leastMs = (usual[index] ?? 0) * 1000;
      expect(waitMs).toBeGreaterThanOrEqual(leastMs);
      expect(waitMs).toBeLessThanOrEqual(leastMs * 1.1 + 1000);
    }
    expect(waits.length).toBeGreaterThan(14);
    expect(await shown(id)).toMatchObject({
      state: "off",
      reason: "For three days nothing has arrived. The last time: it was answered 500.",
      nextAttemptAt: null,
    });
    const { length } = receiver.messages;
    clock.advance(24 * HOUR_MS);
    await me.create("never told by itself");
    expect(receiver.messages).toHaveLength(length);
    receiver.answer = answering(200);
    await me.api("POST", `/webhooks/${id}`, { state: "on" });
    const told = await receiver.next();
    expect(told.data.changed).toContain(first);
    await expect.poll(async () => (await shown(id)).state, PATIENT).toBe("on");
  });

  test("is not given up after two attempts, however long the server was off between them", async () => {
    const { receiver, me, make, shown, clock } = await webhookWorld();
    const { id } = await make();
    receiver.answer = answering(500);
    await me.create("first");
    for (const awayMs of [96 * HOUR_MS, 0]) {
      await receiver.next();
      expect(await decided({ shown, clock }, id)).toMatchObject({ state: "failing" });
      clock.advance(awayMs);
    }
  });

  test("is sent at once when the webhook is switched on, or leads elsewhere", async () => {
    const { receiver, me, make, shown, clock } = await webhookWorld();
    const { id } = await make();
    receiver.answer = answering(500);
    await me.create("first");
    for (const change of [{ state: "on" }, { url: `${receiver.url}/2` }]) {
      await receiver.next();
      await expect.poll(async () => (await shown(id)).state, PATIENT).toBe("failing");
      await me.api("POST", `/webhooks/${id}`, change);
    }
    expect((await receiver.next()).path).toBe("/hook/2");
    // Renaming it is no reason.
    await expect.poll(async () => (await shown(id)).state, PATIENT).toBe("failing");
    await me.api("POST", `/webhooks/${id}`, { name: "new" });
    const { nextAttemptAt } = await shown(id);
    expect((nextAttemptAt ?? 0) * 1000).toBeGreaterThan(clock.now());
    expect(receiver.messages).toHaveLength(3);
  });

  test("is not sent again to who says that they are gone", async () => {
    const { receiver, me, make, shown } = await webhookWorld();
    const { id } = await make();
    receiver.answer = answering(410);
    await me.create("first");
    await receiver.next();
    await expect
      .poll(() => shown(id), PATIENT)
      .toMatchObject({ state: "off", reason: "The receiver says that it is gone for good (410)." });
  });

  test("is not sent to where an answer leads", async () => {
    const { receiver, me, make, shown } = await webhookWorld();
    const elsewhere = await openReceiver();
    const { id } = await make();
    receiver.answer = answering(307, { location: elsewhere.url });
    await me.create("first");
    await receiver.next();
    await expect
      .poll(() => shown(id), PATIENT)
      .toMatchObject({
        state: "failing",
        reason: "It was answered 307: redirects are not followed.",
      });
    expect(elsewhere.connections).toBe(0);
  });

  test("waits no longer than 15 s, and reads no more than a kilobyte of an answer", async () => {
    const { receiver, me, make, shown, clock } = await webhookWorld();
    const { id } = await make();
    receiver.answer = () => undefined;
    await me.create("first");
    await receiver.next();
    clock.advance(15_000);
    await expect
      .poll(() => shown(id), PATIENT)
      .toMatchObject({
        state: "failing",
        reason: "There was no answer within 15 s.",
      });
    let sent = 0;
    let cutOff = 0;
    receiver.answer = (response) => {
      response.on("close", () => (cutOff += 1));
      response.writeHead(200);
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
        if (!response.destroyed) response.once("drain", pour);
      };
      pour();
    };
    await me.api("POST", `/webhooks/${id}`, { state: "on" });
    await receiver.next();
    await expect.poll(async () => (await shown(id)).lastDeliveredAt, PATIENT).not.toBe(null);
    await expect.poll(() => cutOff, PATIENT).toBe(1);
    expect(sent).toBeLessThan(2 ** 26);
  });

  test("ends with the node that it tells of, and comes when that is back and it is switched on", async () => {
    const { receiver, me, make, shown } = await webhookWorld();
    const root = await me.create("root");
    const { id } = await make({ root_id: root });
    const inside = await me.create("inside", root);
    await receiver.next();
    await me.api("DELETE", `/nodes/${root}`);
    await expect
      .poll(() => shown(id), PATIENT)
      .toMatchObject({
        state: "off",
        reason: "The node that it tells of is not there any more.",
      });
    await me.api("POST", `/nodes/${inside}`, { name: "still here" });
    expect(receiver.messages).toHaveLength(1);
  });
});

describe("[U115] a webhook that has lost its place", () => {
  test("says so, and goes on from then on", async () => {
    const disk = newMemoryDisk();
    const { receiver, me, make, service } = await webhookWorld({
      store: new MemoryStore({ disk }),
    });
    await make();
    await me.create("known");
    await receiver.next();
    disk.epoch = "after a backup was put back";
    service.documents.evictAll("a backup was restored");
    service.accounts.storeReplaced();
    const reset = await receiver.next();
    expect([reset.type, Object.keys(reset.data)]).toEqual(["reset", ["webhook_id", "cursor"]]);
    const id = await me.create("afterwards");
    expect((await receiver.next()).data.changed).toEqual([id]);
    expect(await me.page(`since=${reset.data.cursor}`)).toMatchObject({ changed: [{ id }] });
  });
});

describe("[U116] at a start", () => {
  test("only outlines of which something was not told are opened", async () => {
    const disk = newMemoryDisk();
    const receiver = await openReceiver();
    const limits = { insecureWebhooks: true };
    const first = await startService({ store: new MemoryStore({ disk }), limits });
    const users = [];
    for (const name of ["told", "untold", "off", "none"]) users.push(await userOf(first, name));
    const [told, untold, off, none] = users;
    if (told === undefined || untold === undefined || off === undefined || none === undefined)
      throw new Error("no users");
    for (const user of [told, untold, off]) {
      const { body } = await user.api("POST", "/webhooks", { url: receiver.url });
      const { id } = body as { readonly id: string };
      if (user === off) await user.api("POST", `/webhooks/${id}`, { state: "off" });
    }
    await none.create("nobody is told");
    await off.create("nobody is told");
    await told.create("arrives");
    await receiver.next();
    await expect
      .poll(
        () => [...disk.webhooks.values()].filter(({ reached }) => reached !== undefined).length,
        PATIENT,
      )
      .toBe(1);
    receiver.answer = () => undefined;
    const late = await untold.create("does not arrive");
    await receiver.next();
    await first.close();
    receiver.answer = answering(200);

    const opened: string[] = [];
    const again = await startService({ store: new MemoryStore({ disk }), limits });
    onTestFinished(() => again.close());
    again.documents.onLoaded((outline: OutlineId) => opened.push(outline));
    expect((await receiver.next()).data.changed).toEqual([late]);
    const { outline } = (await again.accounts.listUsers()).find(({ id }) => id === "untold") ?? {};
    expect(opened.every((id) => id === outline)).toBe(true);
    expect(again.documents.stats().open).toBe(1);
  });
});

describe("limits of webhooks", () => {
  test("[Q110] a user has twenty, whatever keys made them", async () => {
    const { me, make, receiver } = await webhookWorld();
    const other = await me.newKey({});
    for (let count = 0; count < 20; count++) await make({}, count % 2 === 0 ? me.key : other.key);
    const { status, body } = await me.api("POST", "/webhooks", { url: receiver.url });
    expect([status, (body as { code: string }).code]).toEqual([409, "too_many_webhooks"]);
  });

  test("[Q111] five messages of a user are on their way at one time, test messages too", async () => {
    const { me, make, receiver } = await webhookWorld();
    const made = [];
    for (let count = 0; count < 7; count++) made.push(await make());
    const held: (() => void)[] = [];
    receiver.answer = (response) => held.push(() => response.writeHead(200).end());
    await me.create("one");
    for (let count = 0; count < 5; count++) await receiver.next();
    const busy = await me.api("POST", `/webhooks/${made[0]?.id}/test`);
    expect([busy.status, receiver.messages.length]).toEqual([429, 5]);
    held.shift()?.();
    await receiver.next();
    expect(receiver.messages).toHaveLength(6);
    for (const answer of held) answer();
    receiver.answer = answering(200);
    await receiver.next();
  });

  test("[Q112] what a message holds is charged to its user, and given up when it is too much", async () => {
    const { me, make, receiver, service } = await webhookWorld();
    await make({ fields: "nodes" });
    const held: (() => void)[] = [];
    receiver.answer = (response) => held.push(() => response.writeHead(200).end());
    await me.create("<".repeat(100_000));
    await receiver.next();
    expect(service.memory.bytes).toBeGreaterThan(400_000);
    held.pop()?.();
    await expect.poll(() => service.memory.bytes, PATIENT).toBe(0);
  });
});
