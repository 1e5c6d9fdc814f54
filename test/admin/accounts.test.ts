import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AdminOperation, ItemOf, ParamsOf } from "../../src/admin/admin-operations.ts";
import { ROOT } from "../../src/core/node-key.ts";
import { NOW_SEC, startAdmin } from "./service-parts.ts";

let service: ReturnType<typeof startAdmin>;

beforeEach(() => {
  service = startAdmin();
});

afterEach(() => service.close());

async function run<O extends AdminOperation>(operation: O, params: ParamsOf<O>) {
  const items: ItemOf<O>[] = [];
  const outcome = await service.admin.run(operation, params, {
    onItem: (item) => void items.push(item),
  });
  return { kind: outcome.kind, items };
}

async function addUser(user: string): Promise<string> {
  const [added] = (await run("user-add", { user })).items;
  return added?.key ?? "";
}

test("[C5] users are added, listed and removed, with outline and keys", async () => {
  const key = await addUser("anna");
  expect(await run("user-add", { user: "anna" })).toEqual({ kind: "refused", items: [] });
  expect(await run("user-add", { user: "An na" })).toEqual({ kind: "refused", items: [] });
  const { items } = await run("user-list", {});
  expect(items).toEqual([{ user: "anna", outline: expect.anything(), createdAt: NOW_SEC }]);
  const outline = items[0]?.outline;
  if (outline === undefined) throw new Error("a user has an outline");
  await service.documents.use(outline, (document) =>
    document.write((tree) => tree.create({ parent: ROOT, name: "x" })),
  );
  expect((await run("outlines", {})).items).toEqual([{ outline, user: "anna" }]);
  const revoked: string[] = [];
  service.accounts.onRevoked((id) => revoked.push(id));

  expect(await run("user-remove", { user: "anna" })).toEqual({ kind: "done", items: [] });
  expect(revoked).toHaveLength(1);
  expect(await service.accounts.authenticate(key)).toBeUndefined();
  expect((await run("outlines", {})).items).toEqual([]);
  expect(await run("user-remove", { user: "anna" })).toEqual({ kind: "refused", items: [] });
});

test("[C5] a removal that broke off has ended the keys, and can be asked for again", async () => {
  const key = await addUser("anna");
  const outline = (await run("user-list", {})).items[0]?.outline;
  const drop = vi.spyOn(service.log, "drop").mockRejectedValueOnce(new Error("the disk fails"));
  await expect(run("user-remove", { user: "anna" })).rejects.toThrow();
  expect(await service.accounts.authenticate(key)).toBeUndefined();
  expect((await run("user-list", {})).items).toHaveLength(1);

  expect(await run("user-remove", { user: "anna" })).toEqual({ kind: "done", items: [] });
  expect(drop).toHaveBeenLastCalledWith(outline);
  expect((await run("user-list", {})).items).toEqual([]);
});

test("[C5] keys are made with scope, root and end, listed, and revoked", async () => {
  await addUser("anna");
  const outline = (await run("user-list", {})).items[0]?.outline;
  if (outline === undefined) throw new Error("a user has an outline");
  const created = await service.documents.use(outline, (document) =>
    document.write((tree) => tree.create({ parent: ROOT, name: "work" })),
  );
  const root = created.kind === "created" ? created.key : undefined;
  const expiresAt = NOW_SEC + 10;
  const made = await run("key-add", {
    user: "anna",
    name: "reader",
    scope: "read",
    root: root ?? "",
    expiresAt,
  });
  const [{ id, key } = { id: "", key: "" }] = made.items;
  expect(await service.accounts.authenticate(key)).toEqual({
    id,
    audience: "all",
    user: "anna",
    outline,
    keyId: id,
    family: id,
    scope: "read",
    root,
    expiresAt,
    keyExpiresAt: expiresAt,
  });
  const { items: keys } = await run("key-list", { user: "anna" });
  expect(keys.map((listed) => [listed.name, listed.scope, listed.root, listed.expiresAt])).toEqual([
    ["first key", "write", null, null],
    ["reader", "read", root, expiresAt],
  ]);
  expect(JSON.stringify(keys)).not.toContain(key);

  expect((await run("key-revoke", { user: "anna", id })).kind).toBe("done");
  expect((await run("key-revoke", { user: "anna", id })).kind).toBe("refused");
  expect(await service.accounts.authenticate(key)).toBeUndefined();
});

test("[C5] a key's name is one that the API would take, without the spaces around it", async () => {
  await addUser("anna");
  const common = { user: "anna", scope: "write" } as const;
  for (const name of ["", " ", "x".repeat(201), "x\u001b[2Jy"]) {
    expect((await run("key-add", { ...common, name })).kind).toBe("refused");
  }
  expect((await run("key-add", { ...common, name: " k " })).kind).toBe("done");
  const { items } = await run("key-list", { user: "anna" });
  expect(items.map(({ name }) => name)).toEqual(["first key", "k"]);
});

test("[C5] a key's root is a node that is there, in any form of a reference", async () => {
  await addUser("anna");
  const common = { user: "anna", name: "k", scope: "write" } as const;
  for (const root of ["", " ", "None", "root", "home", "000000000000"]) {
    expect((await run("key-add", { ...common, root })).kind).toBe("refused");
  }
  expect((await run("key-add", { ...common, root: "inbox" })).kind).toBe("refused");
  expect((await run("key-add", { ...common, root: "no such" })).kind).toBe("refused");
  expect((await run("key-add", { ...common, user: "ben" })).kind).toBe("refused");
  expect((await run("key-list", { user: "ben" })).kind).toBe("refused");
});

test("[C20] sessions are listed and ended, one or all", async () => {
  const key = await addUser("anna");
  const principal = await service.accounts.authenticate(key);
  if (principal === undefined) throw new Error("the key is good");
  const tokens = [
    await service.accounts.createSession(principal, "Firefox/1 Linux"),
    await service.accounts.createSession(principal, "curl/8"),
  ];
  const who = (index: number) =>
    service.accounts.who({ kind: "session", secret: tokens[index] ?? "" });
  const { items } = await run("session-list", { user: "anna" });
  expect(items.map(({ browser, key: keyId }) => [browser, keyId])).toEqual([
    ["Firefox on Linux", principal.keyId],
    ["curl 8", principal.keyId],
  ]);
  const end = (id: string | null) => run("session-end", { user: "anna", id });
  expect((await end(items[0]?.id ?? "")).kind).toBe("done");
  expect([await who(0), (await who(1))?.user]).toEqual([undefined, "anna"]);
  expect((await end(items[0]?.id ?? "")).kind).toBe("refused");
  expect((await run("session-end", { user: "ben", id: null })).kind).toBe("refused");
  expect((await run("session-list", { user: "ben" })).kind).toBe("refused");
  expect((await end(null)).kind).toBe("done");
  expect(await who(1)).toBeUndefined();
  // None is all, too.
  expect((await end(null)).kind).toBe("done");
  expect((await run("session-list", { user: "anna" })).items).toEqual([]);
});

test("[A71, C5] a key that the command makes depends on none, and a list says who made it", async () => {
  const key = await addUser("anna");
  const maker = await service.accounts.authenticate(key);
  if (maker === undefined) throw new Error("the key is good");
  await service.accounts.createKey(maker.user, { name: "child" }, maker);
  await run("key-add", { user: "anna", name: "other", scope: "write" });
  const { items } = await run("key-list", { user: "anna" });
  expect(items.map(({ name, maker: made }) => [name, made])).toEqual([
    ["first key", null],
    ["child", maker.keyId],
    ["other", null],
  ]);
  await run("key-revoke", { user: "anna", id: maker.keyId });
  const left = (await run("key-list", { user: "anna" })).items.map(({ name }) => name);
  expect(left).toEqual(["other"]);
});
