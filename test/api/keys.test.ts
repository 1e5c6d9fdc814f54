import { once } from "node:events";

import { describe, expect } from "vitest";
import { WebSocket } from "ws";

import type { Api } from "./support/api.ts";
import { test } from "./support/api-test.ts";

const post = (api: Api, body: object) => api.outcome("POST", "/keys", body);

/** A device that syncs with this key; resolves when the server has let it in. */
async function socketOf(url: string, key: string | undefined): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/sync/me`, ["yjs", key ?? ""]);
  await once(socket, "open");
  return socket;
}

describe("keys", () => {
  test("[A60, A61, A65] a new user has one key, listed whole", async ({ api, clock }) => {
    const { status, body } = await api.request("GET", "/keys");
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        keys: [
          {
            id: expect.any(String) as unknown,
            name: expect.any(String) as unknown,
            scope: "write",
            root_id: null,
            createdAt: clock.seconds,
            lastUsedAt: clock.seconds,
            expiresAt: null,
          },
        ],
      },
    });
    expect(JSON.stringify(body)).not.toContain(api.key);
  });

  test("[A60, A61] are made with what is asked for and listed oldest first", async ({
    api,
    clock,
  }) => {
    const root = await api.create({ name: "root" });
    clock.advance(5);
    const createdAt = clock.seconds;
    const expiresAt = clock.seconds + 3600;
    const plain = await api.keyed({ name: "plain" });
    const full = await api.keyed({ name: "full", scope: "read", root_id: root, expiresAt });
    const nulls = await api.keyed({ name: "nulls", scope: null, root_id: null, expiresAt: null });
    const [, ...keys] = await api.keys();
    const common = { createdAt, lastUsedAt: null };
    expect(keys).toEqual([
      { id: plain.keyId, name: "plain", scope: "write", root_id: null, expiresAt: null, ...common },
      { id: full.keyId, name: "full", scope: "read", root_id: root, expiresAt, ...common },
      { id: nulls.keyId, name: "nulls", scope: "write", root_id: null, expiresAt: null, ...common },
    ]);
    const secrets = [plain.key, full.key, nulls.key];
    expect(new Set(secrets).size).toBe(3);
    const listed = JSON.stringify(await api.keys());
    for (const secret of secrets) expect(listed).not.toContain(secret);
  });

  test("[A61] work at once, for the whole outline", async ({ api }) => {
    const id = await api.create({ name: "x" });
    const second = await api.keyed({ name: "second" });
    await second.update(id, { name: "y" });
    await second.create({ parent_id: "today", name: "z" });
    expect(await second.export()).toEqual(await api.export());
    expect((await second.settings()).timezone).toBe("UTC");
    const third = await second.keyed({ name: "third" });
    expect((await third.node(id)).name).toBe("y");
  });

  test("[A61] work whatever the case of the scheme", async ({ api }) => {
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      const headers = { authorization: `${scheme} ${api.key}` };
      expect((await api.request("GET", "/nodes", { headers })).status).toBe(200);
    }
  });

  test("[A62] are not made from wrong fields", async ({ api, clock }) => {
    const before = await api.keys();
    for (const body of [
      {},
      { name: null },
      { name: 5 },
      { name: ["x"] },
      { name: " \n " },
      { name: "x".repeat(201) },
      { name: "x\u001b[2J" },
      { name: "x\ty" },
      { name: "x", scope: "all" },
      { name: "x", scope: "" },
      { name: "x", scope: 5 },
      { name: "x", root_id: 5 },
      { name: "x", expiresAt: "2026-12-01" },
      { name: "x", expiresAt: clock.seconds + 0.5 },
      { name: "x", expiresAt: {} },
      { name: "x", expiresAt: clock.seconds },
      { name: "x", expiresAt: 1 },
      { name: "x", expiresAt: 253_402_300_800 },
      { name: "x", expiresAt: 99_999_999_999_999 },
    ]) {
      expect([body, await post(api, body)]).toEqual([body, "400 invalid_request"]);
    }
    expect(await post(api, { name: "x", root_id: "nowhere" })).toBe("404 not_found");
    expect(await post(api, { name: "x", root_id: "today" })).toBe("404 not_found");
    expect(await api.keys()).toEqual(before);
  });

  test("[A63] are 401 once they are revoked, at once and for good", async ({ api }) => {
    const second = await api.keyed({ name: "second" });
    expect(await second.outcome("GET", "/nodes")).toBe("200");
    const { status, body } = await api.request("DELETE", `/keys/${second.keyId}`);
    expect({ status, body }).toEqual({ status: 200, body: { status: "ok" } });
    expect(await second.outcome("GET", "/nodes")).toBe("401 unauthorized");
    expect(await second.outcome("POST", "/nodes", { name: "x" })).toBe("401 unauthorized");
    expect((await api.keys()).map((key) => key.id)).not.toContain(second.keyId);
    expect(await api.outcome("DELETE", `/keys/${second.keyId}`)).toBe("404 not_found");
    expect(await api.outcome("GET", "/nodes")).toBe("200");
  });

  test("[A63] may revoke themselves", async ({ api }) => {
    const second = await api.keyed({ name: "second" });
    expect(await second.outcome("DELETE", `/keys/${second.keyId}`)).toBe("200");
    expect(await second.outcome("GET", "/nodes")).toBe("401 unauthorized");
  });

  test("[A63] that are unknown or another user's can't be revoked", async ({ api, other }) => {
    const [theirs] = await other.keys();
    const before = await api.keys();
    for (const id of [theirs?.id ?? "", "nothing", "__proto__", api.key ?? ""]) {
      expect([id, await api.outcome("DELETE", `/keys/${id}`)]).toEqual([id, "404 not_found"]);
    }
    expect(await other.outcome("GET", "/nodes")).toBe("200");
    expect(await api.keys()).toEqual(before);
  });

  test("[A63] take their sockets along", async ({ api, service }) => {
    const second = await api.keyed({ name: "second" });
    const mine = await socketOf(service.url, api.key);
    const theirs = await socketOf(service.url, second.key);
    const closed = once(theirs, "close");
    await api.done("DELETE", `/keys/${second.keyId}`);
    const [code] = (await closed) as [number];
    expect(code).toBe(4401);
    expect(mine.readyState).toBe(WebSocket.OPEN);
    mine.terminate();
  });

  test("[A64] are 401 from the second that they expire", async ({ api, clock }) => {
    const expiring = await api.keyed({ name: "short", expiresAt: clock.seconds + 60 });
    expect(await expiring.outcome("GET", "/nodes")).toBe("200");
    clock.advance(59);
    expect(await expiring.outcome("GET", "/nodes")).toBe("200");
    clock.advance(1);
    expect(await expiring.outcome("GET", "/nodes")).toBe("401 unauthorized");
    clock.advance(1000);
    expect(await expiring.outcome("GET", "/nodes")).toBe("401 unauthorized");
    expect(await api.outcome("GET", "/nodes")).toBe("200");
  });

  test("[A65] say when they were last used, to the minute", async ({ api, clock }) => {
    const second = await api.keyed({ name: "second" });
    const lastUsedAt = async () =>
      (await api.keys()).find((key) => key.id === second.keyId)?.lastUsedAt ?? null;
    expect(await lastUsedAt()).toBe(null);
    const first = clock.advance(100);
    await second.children();
    expect(await lastUsedAt()).toBe(first);
    for (const wait of [30, 29, 61, 3600]) {
      const now = clock.advance(wait);
      await second.children();
      const used = (await lastUsedAt()) ?? 0;
      expect(now - used).toBeLessThanOrEqual(60);
      expect(used).toBeLessThanOrEqual(now);
    }
  });
});
