import { describe, expect, test } from "vitest";
import { SignedHeaders } from "../../src/http/webhooks/signed-headers.ts";
import { answering, signatureOf } from "../support/webhook-receiver.ts";
import { webhookWorld } from "./webhook-world.ts";

const PATIENT = { timeout: 60_000 };

describe("[U110] a webhook", () => {
  test("tells what changes from when it was made, as the changes do", async () => {
    const { receiver, me, make, clock } = await webhookWorld();
    await me.create("before");
    const { id } = await make();
    const node = await me.create("one");
    const made = await receiver.next();
    expect(JSON.parse(made.body)).toEqual({
      type: "changes",
      timestamp: new Date(clock.now()).toISOString(),
      data: {
        webhook_id: id,
        cursor: made.data.cursor,
        more: false,
        changed: [node],
        removed: [],
      },
    });
    expect([made.path, made.headers["content-type"], made.headers["user-agent"]]).toEqual([
      "/hook",
      "application/json",
      "outline-service",
    ]);
    expect(await me.page(`since=${made.data.cursor}`)).toMatchObject({ changed: [] });
    await me.api("DELETE", `/nodes/${node}`);
    expect((await receiver.next()).data).toMatchObject({ changed: [], removed: [node] });
  });

  test("tells nodes when it is asked to, and ids where these are too long", async () => {
    const { receiver, me, make } = await webhookWorld();
    await make({ fields: "nodes" });
    const one = await me.create("**one** \u2028 x");
    expect((await receiver.next()).data.changed).toMatchObject([
      { id: one, name: "<b>one</b> \u2028 x", note: null },
    ]);
    const long = await me.create("<".repeat(300_000));
    expect((await receiver.next()).data.changed).toEqual([long]);
  });

  test("tells what is at and below a node, and what a limited key reaches", async () => {
    const { receiver, me, make } = await webhookWorld();
    const root = await me.create("root");
    const part = await me.create("part", root);
    const limited = await me.newKey({ root_id: root });
    const ofRoot = await make({ root_id: root });
    const ofKey = await make({}, limited.key);
    const ofPart = await make({ root_id: part.slice(-12) }, limited.key);
    await me.create("outside");
    const inside = await me.create("inside", root);
    const told = [await receiver.next(), await receiver.next()];
    expect(told.map(({ data }) => data.changed)).toEqual([[inside], [inside]]);
    expect(told.map(({ data }) => data.webhook_id).toSorted()).toEqual(
      [ofRoot.id, ofKey.id].toSorted(),
    );
    const below = await me.create("below", part);
    const all = [await receiver.next(), await receiver.next(), await receiver.next()];
    expect(all.map(({ data }) => data.changed)).toEqual([[below], [below], [below]]);
    expect(all.map(({ data }) => data.webhook_id)).toContain(ofPart.id);
  });

  test("tells kinds of changes, when it is asked for some", async () => {
    const { receiver, me, make } = await webhookWorld();
    const [a, b] = [await me.create("a"), await me.create("b")];
    const kinds = ["created", "changed", "moved", "completed", "removed"] as const;
    const names = new Map<string, string>();
    for (const kind of kinds) names.set((await make({ kinds: [kind] })).id, kind);
    const toldOf = async (count: number): Promise<Record<string, unknown>> => {
      const told: Record<string, unknown> = {};
      for (let left = count; left > 0; left--) {
        const { data } = await receiver.next();
        told[names.get(data.webhook_id) ?? ""] = [...(data.changed ?? []), ...(data.removed ?? [])];
      }
      return told;
    };
    const made = await me.create("c");
    expect(await toldOf(1)).toEqual({ created: [made] });
    await me.api("POST", `/nodes/${a}`, { name: "A" });
    expect(await toldOf(1)).toEqual({ changed: [a] });
    await me.api("POST", `/nodes/${b}/move`, { parent_id: a });
    expect(await toldOf(2)).toEqual({ changed: [b], moved: [b] });
    await me.api("POST", `/nodes/${b}/complete`);
    expect(await toldOf(2)).toEqual({ changed: [b], completed: [b] });
    await me.api("DELETE", `/nodes/${a}`);
    expect(await toldOf(1)).toEqual({ removed: [a] });
    expect(receiver.messages).toHaveLength(7);
  });

  test("is listed, changed and removed, and says how it stands", async () => {
    const { receiver, me, make, shown, clock } = await webhookWorld();
    const root = await me.create("root");
    const { id, secret } = await make({
      name: " mine ",
      root_id: root,
      kinds: ["removed", "created"],
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const expected = {
      id,
      name: "mine",
      url: receiver.url,
      root_id: root,
      kinds: ["created", "removed"],
      fields: "ids",
      key_id: expect.stringMatching(/^key_/) as string,
      state: "on",
      reason: null,
      createdAt: Math.floor(clock.now() / 1000),
      lastDeliveredAt: null,
      nextAttemptAt: null,
    };
    expect((await me.api("GET", "/webhooks")).body).toEqual({ webhooks: [expected] });
    await me.create("inside", root);
    await receiver.next();
    await expect
      .poll(async () => (await shown(id)).lastDeliveredAt, PATIENT)
      .toBe(Math.floor(clock.now() / 1000));
    const change = { url: `${receiver.url}/2`, kinds: null, name: "", fields: "nodes" };
    expect((await me.api("POST", `/webhooks/${id}`, change)).body).toEqual({ status: "ok" });
    expect(await shown(id)).toMatchObject({ ...change, state: "on" });
    await me.create("renamed", root);
    expect((await receiver.next()).path).toBe("/hook/2");
    await me.api("POST", `/webhooks/${id}`, { state: "off" });
    expect(await shown(id)).toMatchObject({
      state: "off",
      reason: "It was switched off by request.",
    });
    expect((await me.api("DELETE", `/webhooks/${id}`)).body).toEqual({ status: "ok" });
    expect((await me.api("DELETE", `/webhooks/${id}`)).status).toBe(404);
    expect((await me.api("GET", "/webhooks")).body).toEqual({ webhooks: [] });
  });

  test("sends a test message, and says what has become of it", async () => {
    const { receiver, me, make, shown, clock } = await webhookWorld();
    const { id, secret } = await make();
    const tried = async () => (await me.api("POST", `/webhooks/${id}/test`)).body;
    expect(await tried()).toEqual({ delivered: true, status: 200, error: null });
    const message = await receiver.next();
    expect([message.type, message.data]).toEqual(["test", { webhook_id: id }]);
    expect(message.headers["webhook-signature"]).toBe(signatureOf(secret, message));
    receiver.answer = answering(500);
    expect(await tried()).toEqual({ delivered: false, status: 500, error: "it was answered 500" });
    expect(await shown(id)).toMatchObject({ state: "on", lastDeliveredAt: null });
    receiver.answer = () => clock.advance(15_000);
    expect(await tried()).toEqual({
      delivered: false,
      status: null,
      error: "there was no answer within 15 s",
    });
    receiver.close();
    expect(await tried()).toMatchObject({ status: null, error: "the connection was refused" });
  });

  test("is refused where it can't lead anywhere, and of what is not there", async () => {
    const { me } = await webhookWorld();
    const outcome = async (body: object): Promise<string> => {
      const { status, body: answer } = await me.api("POST", "/webhooks", body);
      return `${status} ${(answer as { message?: string }).message ?? ""}`.trim();
    };
    const url = "https://example.org/";
    expect(await outcome({ url: "nonsense" })).toBe("400 url: not a URL.");
    expect(await outcome({ url: "ftp://example.org" })).toMatch(/^400 url: the address does not/);
    expect(await outcome({ url: "https://me:secret@example.org" })).toMatch(/^400 url: .*password/);
    for (const fragment of ["#", "#/hooks/x"]) {
      expect(await outcome({ url: `${url}a?b${fragment}` })).toMatch(/^400 url: .*fragment/);
    }
    expect(await outcome({ url: `https://${"a".repeat(2048)}` })).toMatch(/^400 url: /);
    expect(await outcome({ url: url + "ü".repeat(400) })).toMatch(/^400 url: .*encoded/);
    expect(await outcome({ url, name: "a\u0007" })).toMatch(/^400 name: /);
    expect(await outcome({ url, kinds: [] })).toMatch(/^400 kinds: /);
    expect(await outcome({ url, kinds: ["other"] })).toMatch(/^400 kinds\.0: /);
    expect(await outcome({ url, root_id: "nothing" })).toMatch(/^404 /);
    expect(await outcome({})).toMatch(/^400 url: /);
    for (const [method, path] of [
      ["GET", "/webhooks/hook_none"],
      ["POST", "/webhooks/hook_none"],
      ["POST", "/webhooks/hook_none/test"],
      ["DELETE", "/webhooks/hook_none"],
    ] as const) {
      const { status } = await me.api(method, path, method === "POST" ? {} : undefined);
      expect([method, path, status]).toEqual([method, path, 404]);
    }
  });
});

describe("[U111] messages", () => {
  test("are signed as the specification's own example is", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const headers = new SignedHeaders(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330999);
    for (const part of ['{"test": ', "2432232314}"]) headers.add(Buffer.from(part));
    expect(headers.finish()).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  test("have the signature of their webhook, and of the time at which they are sent", async () => {
    const { receiver, me, make, shown, clock } = await webhookWorld();
    const { id, secret } = await make();
    receiver.answer = answering(500);
    await me.create("ümlaut");
    const first = await receiver.next();
    await expect.poll(async () => (await shown(id)).state, PATIENT).toBe("failing");
    receiver.answer = answering(204);
    clock.advance(6_000);
    const second = await receiver.next();
    expect(second.id).toBe(first.id);
    for (const message of [first, second]) {
      expect(message.headers["webhook-signature"]).toBe(signatureOf(secret, message));
    }
    const [at, later] = [first, second].map(({ headers }) => Number(headers["webhook-timestamp"]));
    expect((later ?? 0) - (at ?? 0)).toBe(6);
  });
});

describe("[U112] who may", () => {
  test("a key that may read makes none, and sees where they lead without the path", async () => {
    const { receiver, me, make } = await webhookWorld();
    const { id } = await make();
    const { key } = await me.newKey({ scope: "read" });
    for (const [method, path] of [
      ["POST", "/webhooks"],
      ["POST", `/webhooks/${id}`],
      ["POST", `/webhooks/${id}/test`],
      ["DELETE", `/webhooks/${id}`],
    ] as const) {
      expect((await me.api(method, path, { url: receiver.url }, key)).status).toBe(403);
    }
    const { body } = await me.api("GET", `/webhooks/${id}`, undefined, key);
    expect(body).toMatchObject({ webhook: { id, url: `http://127.0.0.1:${receiver.port}` } });
  });

  test("a limited key reaches those that it has made, and no others", async () => {
    const { receiver, me, make } = await webhookWorld();
    const root = await me.create("root");
    const outside = await me.create("outside");
    const limited = await me.newKey({ root_id: root });
    const other = await me.newKey({ root_id: root });
    const whole = await make();
    const own = await make({}, limited.key);
    const listed = async (key: string): Promise<readonly string[]> => {
      const { body } = await me.api("GET", "/webhooks", undefined, key);
      return (body as { webhooks: { id: string }[] }).webhooks.map(({ id }) => id);
    };
    expect(await listed(me.key)).toEqual([whole.id, own.id]);
    expect(await listed(limited.key)).toEqual([own.id]);
    expect(await listed(other.key)).toEqual([]);
    for (const [id, key, status] of [
      [whole.id, limited.key, 404],
      [own.id, other.key, 404],
      [own.id, limited.key, 200],
      [own.id, me.key, 200],
    ] as const) {
      expect((await me.api("POST", `/webhooks/${id}`, {}, key)).status).toBe(status);
    }
    const body = { url: receiver.url, root_id: outside };
    expect((await me.api("POST", "/webhooks", body, limited.key)).status).toBe(404);
  });

  test("one ends with the key that made it, at once, and with those that made the key", async () => {
    const { receiver, me, make, close } = await webhookWorld();
    const maker = await me.newKey({});
    const { body } = await me.api("POST", "/keys", { name: "made" }, maker.key);
    const stays = await make();
    await make({}, maker.key);
    await make({}, (body as { readonly key: string }).key);
    await me.create("one");
    for (let count = 0; count < 3; count++) await receiver.next();
    await me.api("DELETE", `/keys/${maker.id}`);
    await me.create("two");
    expect((await receiver.next()).data.webhook_id).toBe(stays.id);
    expect((await me.api("GET", "/webhooks")).body).toMatchObject({ webhooks: [{ id: stays.id }] });
    await close();
    expect(receiver.messages).toHaveLength(4);
  });

  test("one whose key has expired is switched off, and says so", async () => {
    const { receiver, me, make, shown, clock } = await webhookWorld();
    const expiresAt = Math.floor(clock.now() / 1000) + 60;
    const { key } = await me.newKey({ expiresAt });
    const { id } = await make({}, key);
    clock.advance(61_000);
    await me.create("too late");
    await expect
      .poll(() => shown(id), PATIENT)
      .toMatchObject({ state: "off", reason: "The API key that made it has expired." });
    expect(receiver.messages).toEqual([]);
  });
});

test("[U110, U63] what is about webhooks takes no Idempotency-Key: its secret is kept nowhere else", async () => {
  const { me, receiver, service } = await webhookWorld();
  const { status } = await service.request(
    "POST",
    "/api/v1/webhooks",
    { url: receiver.url },
    { key: me.key, headers: { "idempotency-key": "once" } },
  );
  expect(status).toBe(400);
});
