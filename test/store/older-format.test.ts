import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import type { UserId } from "../../src/accounts/account-store.ts";
import { Accounts } from "../../src/accounts/accounts.ts";
import type { LevelStore } from "../../src/store/level/level-store.ts";
import { jsonOf } from "../../src/store/level/json-record.ts";
import { META_KEY } from "../../src/store/store-keys.ts";
import { startService } from "../support/service.ts";
import { levelFolders, recordsOf } from "./support/level-folder.ts";

const FORMAT_1 = fileURLToPath(new URL("../fixtures/store-of-format-1", import.meta.url));
const FORMAT_3 = fileURLToPath(new URL("../fixtures/store-of-format-3", import.meta.url));
/** From before its node was made. */
const CURSOR_OF_3 = "WzEsIldlUks2MlpQUUFjNSIsImRjODEyNjBlZWM3NmE0ZmFiMGQ4IiwwLDAsIiJd";
const KEYS = ["first-key-of-the-fixture", "second-key-of-the-fixture"];
const ME = "me" as UserId;
const now = () => 1_790_000_100_000;

const { newFolder, open } = levelFolders();

async function copyOfFormat1(): Promise<string> {
  const folder = await newFolder();
  await cp(FORMAT_1, folder, { recursive: true });
  await rm(join(folder, "README.md"));
  return folder;
}

function accountsOf(store: LevelStore): Accounts {
  let next = 0;
  const randomBytes = (length: number) => Uint8Array.from({ length }, () => (next += 7) % 248);
  return new Accounts({ store: store.accounts, now, randomBytes, random: Math.random });
}

async function expectWhole(store: LevelStore): Promise<void> {
  const accounts = accountsOf(store);
  const [first, second] = await accounts.listKeys(ME);
  expect([first?.name, first?.maker, second?.id, second?.maker]).toEqual([
    "first key",
    undefined,
    "key_second",
    undefined,
  ]);
  const principal = await accounts.authenticate(KEYS[0] ?? "");
  expect(principal).toMatchObject({ user: ME, scope: "write", family: first?.id });
  expect(await accounts.authenticate(KEYS[1] ?? "")).toMatchObject({ scope: "read" });
  if (principal === undefined) throw new Error("the key is good");
  expect((await store.log.load(principal.outline)).head).toBe(1);
  expect(await store.verifyAll()).toEqual([]);
}

test("[P21] a store of the format before opens with all that it holds, and is then of today's", async () => {
  const folder = await copyOfFormat1();
  const store = await open(folder, { now });
  await expectWhole(store);
  await store.close();
  const meta = (await recordsOf(folder)).find(({ key }) => key === META_KEY);
  expect(meta && jsonOf(META_KEY, meta.value)).toMatchObject({ format: 4, epochOrdinal: 0 });
  const { name } = store;
  expect(name).toMatch(/^[0-9a-f]{8}$/);
  const again = await open(folder, { now });
  expect(again.name).toBe(name);
  await expectWhole(again);
});

test("[P21] what is new stands beside what is old, and ends with it", async () => {
  const folder = await copyOfFormat1();
  const store = await open(folder, { now });
  const accounts = accountsOf(store);
  const principal = await accounts.authenticate(KEYS[0] ?? "");
  if (principal === undefined) throw new Error("the key is good");
  const made = await accounts.createKey(ME, { name: "made" }, principal);
  const token = await accounts.createSession(principal, "Firefox/1 Linux");
  if (made.kind !== "created" || token === undefined) throw new Error("nothing was made");
  await store.close();

  const again = await open(folder, { now });
  const after = accountsOf(again);
  expect(await after.authenticate(made.key)).toMatchObject({ family: principal.keyId });
  expect(await after.who({ kind: "session", secret: token })).toMatchObject({ user: ME });
  expect(await after.revokeKey(ME, principal.keyId)).toBe("done");
  expect(await after.authenticate(made.key)).toBeUndefined();
  expect(await after.who({ kind: "session", secret: token })).toBeUndefined();
  expect((await after.listKeys(ME)).map(({ id }) => id)).toEqual(["key_second"]);
  expect(await again.verifyAll()).toEqual([]);
});

test("[P21] a store without webhooks takes them, and its cursors stay good", async () => {
  const folder = await newFolder();
  await cp(FORMAT_3, folder, { recursive: true });
  await rm(join(folder, "README.md"));
  const service = await startService({ store: await open(folder, { now }), now });
  const [key = ""] = KEYS;
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> =>
    (await service.request(method, `/api/v1/${path}`, body, { key })).body;
  expect(await ask("GET", `changes?since=${CURSOR_OF_3}`)).toMatchObject({
    changed: [{ name: "of format 3" }],
    removed: [],
  });
  expect(await ask("GET", "webhooks")).toEqual({ webhooks: [] });
  const made = (await ask("POST", "webhooks", { url: "https://example.org/" })) as { id: string };
  await service.close();

  const again = await open(folder, { now });
  const accounts = accountsOf(again);
  const principal = await accounts.authenticate(key);
  if (principal === undefined) throw new Error("the key is good");
  expect(await accounts.webhooks.find(principal.outline, made.id)).toMatchObject({ user: ME });
  expect((await accounts.listSessions(ME)).length).toBe(1);
  await accounts.revokeKey(ME, principal.keyId);
  expect(await accounts.webhooks.of(principal.outline)).toEqual([]);
  expect(await again.verifyAll()).toEqual([]);
});

test("[P21] a backup of the format before is restored", async () => {
  const backup = await copyOfFormat1();
  const store = await open(await newFolder(), { now });
  const { name } = store;
  expect(await store.restore(backup)).toEqual({ kind: "restored" });
  expect(store.name).toBe(name);
  await expectWhole(store);
});
