import { beforeEach, describe, expect, test } from "vitest";

import type { AccountStore, UserId } from "../../src/accounts/account-store.ts";
import { Accounts } from "../../src/accounts/accounts.ts";
import { hashOfKey, randomLetters } from "../../src/accounts/api-key.ts";
import { isOutlineId, newNodeKey } from "../../src/core/node-key.ts";
import { newMemoryDisk } from "../support/memory-store/memory-disk.ts";
import type { MemoryDisk } from "../support/memory-store/memory-disk.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";

const START = 1_700_000_000;
const ME = "me" as UserId;
const YOU = "you" as UserId;
const GIVEN = "a-given-key-of-mine";

let seconds: number;
let commits: number;
let commit: () => Promise<void> | void;
let disk: MemoryDisk;
let accounts: Accounts;

/** Counts the bytes it gives, so that each draw differs. */
function countingBytes(): (length: number) => Uint8Array {
  let next = 0;
  return (length) => Uint8Array.from({ length }, () => (next += 7) % 256);
}

function accountsOn(store: AccountStore): Accounts {
  return new Accounts({
    store,
    now: () => seconds * 1000 + 999,
    randomBytes: countingBytes(),
    random: Math.random,
  });
}

/** A store whose keys are looked up in another way. */
function lookingUp(store: AccountStore, keyByHash: AccountStore["keyByHash"]): AccountStore {
  return new Proxy(store, {
    get: (target, name: keyof AccountStore) =>
      name === "keyByHash" ? keyByHash : target[name].bind(target),
  });
}

beforeEach(() => {
  seconds = START;
  commits = 0;
  commit = () => undefined;
  disk = newMemoryDisk();
  const beforeCommit = () => {
    commits += 1;
    return commit();
  };
  accounts = accountsOn(new MemoryStore({ disk, beforeCommit }).accounts);
});

async function addUser(id: string, key?: string) {
  const added = await accounts.addUser(id, key === undefined ? {} : { key });
  if (added.kind !== "added") throw new Error(added.kind);
  return added;
}

async function createKey(input: Parameters<Accounts["createKey"]>[1]) {
  const created = await accounts.createKey(ME, input);
  if (created.kind !== "created") throw new Error(created.kind);
  return created;
}

describe("users", () => {
  test("[A1] a user has an id, an outline of its own and a time", async () => {
    const { user } = await addUser("me");
    expect(user).toEqual({ id: "me", outline: user.outline, createdAt: START });
    expect(isOutlineId(user.outline)).toBe(true);
    const other = await addUser("you");
    expect(other.user.outline).not.toBe(user.outline);
    expect(await accounts.listUsers()).toEqual([user, other.user]);
    expect(await accounts.user(ME)).toEqual(user);
  });

  test.each(["", "A", "me you", "mé", "a/b", "..%2f", "x".repeat(65), "me\n", "\0"])(
    "[A1] %j is no user id, and nothing is made",
    async (id) => {
      expect(await accounts.addUser(id)).toEqual({ kind: "invalid_user" });
      expect(disk.users.size + disk.keys.size).toBe(0);
    },
  );

  test.each(["a", "x".repeat(64), "a.b_c-9", ".", "..", "__proto__", "constructor"])(
    "[A1] %j is a user id like any other",
    async (id) => {
      const { key, user } = await addUser(id);
      expect(await accounts.authenticate(key)).toMatchObject({ user: id, outline: user.outline });
    },
  );

  test("[A1] an id is given once", async () => {
    const { key } = await addUser("me");
    expect(await accounts.addUser("me")).toEqual({ kind: "exists" });
    expect(await accounts.addUser("me", { key: GIVEN })).toEqual({ kind: "exists" });
    expect(await accounts.authenticate(key)).toMatchObject({ user: "me" });
    expect(await accounts.authenticate(GIVEN)).toBeUndefined();
    const both = await Promise.all([accounts.addUser("you"), accounts.addUser("you")]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(["added", "exists"]);
  });

  test("[A7] removing a user revokes all keys, and tells the outline that is left", async () => {
    const { user, key } = await addUser("me");
    const second = await createKey({ name: "second" });
    await addUser("you", GIVEN);
    for (const each of [key, second.key]) await accounts.authenticate(each);
    const revoked: string[] = [];
    accounts.onRevoked((id) => revoked.push(id));
    const ids = (await accounts.listKeys(ME)).map(({ id }) => id);
    expect(await accounts.removeUser(ME)).toEqual({ kind: "removed", user });
    expect(revoked).toEqual(ids);
    for (const each of [key, second.key]) {
      expect(await accounts.authenticate(each)).toBeUndefined();
    }
    expect(await accounts.authenticate(GIVEN)).toMatchObject({ user: "you" });
    expect(await accounts.removeUser(ME)).toEqual({ kind: "unknown_user" });
    expect(await accounts.createKey(ME, { name: "x" })).toEqual({ kind: "unknown_user" });
  });
});

describe("keys", () => {
  test("[A2] a fresh key has 190 random bits, fits a subprotocol, and is stored as a hash only", async () => {
    const { key, keyId } = await addUser("me");
    const created = await createKey({ name: "second" });
    for (const each of [key, created.key]) expect(each).toMatch(/^ok_[0-9A-Za-z]{32}$/);
    expect(key).not.toBe(created.key);
    expect([...disk.keys.keys()]).toEqual([hashOfKey(key), hashOfKey(created.key)]);
    const stored = JSON.stringify([...disk.keys.values(), ...disk.users.values()]);
    expect(stored).not.toContain(key.slice(3));
    expect(stored).not.toContain(created.key.slice(3));
    expect((await accounts.listKeys(ME)).map(({ id }) => id)).toEqual([keyId, created.id]);
  });

  test("[A2] the letters of a key are equally likely", () => {
    let next = 0;
    const everyByteOnce = (length: number) => Uint8Array.from({ length }, () => next++);
    // 248 of the 256 bytes count, four for each of the 62 letters; the others are drawn again.
    const letters = randomLetters(248, everyByteOnce);
    const counts = new Map<string, number>();
    for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(62);
    expect(new Set(counts.values())).toEqual(new Set([4]));
    expect(next).toBe(248);
    randomLetters(8, everyByteOnce);
    expect(next).toBe(264);
  });

  test("[A3] a given key works as it is", async () => {
    for (const [index, key] of [
      GIVEN,
      "x".repeat(16),
      "x".repeat(256),
      "!#$%&'*+-.^_`|~09azAZ",
    ].entries()) {
      const added = await addUser(`user${index}`, key);
      expect(added.key).toBe(key);
      expect(await accounts.authenticate(key)).toMatchObject({ user: `user${index}` });
    }
  });

  test.each([
    "",
    "x".repeat(7),
    "x".repeat(257),
    "fifteen, and a comma",
    "with a space inside",
    "täglich-neue-schlüssel",
    'quotes-"are"-none',
    "line\nbreak-in-a-key",
    "(parentheses)-and-so-on",
  ])("[A3] %j is no key, and nothing is made", async (key) => {
    expect(await accounts.addUser("me", { key })).toEqual({ kind: "invalid_key" });
    expect(disk.users.size + disk.keys.size).toBe(0);
  });

  test("[A3] a key that someone has is given to nobody else", async () => {
    await addUser("me", GIVEN);
    expect(await accounts.addUser("you", { key: GIVEN })).toEqual({ kind: "invalid_key" });
    expect(await accounts.authenticate(GIVEN)).toMatchObject({ user: "me" });
    expect(await accounts.user(YOU)).toBeUndefined();
  });

  test("[A4] a key says who, which outline, and what it may", async () => {
    const { user, key, keyId } = await addUser("me");
    const root = newNodeKey(Math.random);
    const limited = await createKey({ name: "n", scope: "read", root, expiresAt: START + 10 });
    expect(await accounts.authenticate(key)).toEqual({
      id: keyId,
      user: ME,
      outline: user.outline,
      keyId,
      family: keyId,
      scope: "write",
      root: undefined,
      audience: "all",
      expiresAt: undefined,
    });
    expect(await accounts.authenticate(limited.key)).toEqual({
      id: limited.id,
      user: ME,
      outline: user.outline,
      keyId: limited.id,
      family: limited.id,
      scope: "read",
      root,
      audience: "all",
      expiresAt: START + 10,
      keyExpiresAt: START + 10,
    });
  });

  test("[A4] what is no key opens nothing", async () => {
    const { key, keyId } = await addUser("me");
    const hash = hashOfKey(key);
    const wrong = ["", " ", key.slice(1), `${key} `, key.toLowerCase(), keyId, hash, "__proto__"];
    for (const each of [...wrong, "x".repeat(100_000), "\0", "\ud800"]) {
      expect(await accounts.authenticate(each)).toBeUndefined();
    }
  });

  test("[A5] a key opens nothing from the second on in which it expires, known or not", async () => {
    await addUser("me");
    const { key } = await createKey({ name: "n", expiresAt: START + 10 });
    seconds = START + 9;
    expect(await accounts.authenticate(key)).toMatchObject({ user: "me" });
    seconds = START + 10;
    expect(await accounts.authenticate(key)).toBeUndefined();
    const afterRestart = accountsOn(new MemoryStore({ disk }).accounts);
    expect(await afterRestart.authenticate(key)).toBeUndefined();
    seconds = START + 9;
    expect(await afterRestart.authenticate(key)).toMatchObject({ user: "me" });
  });

  test("[A6] a revoked key opens nothing any more, and those who listen hear of it", async () => {
    await addUser("me");
    await addUser("you");
    const { id, key } = await createKey({ name: "n" });
    expect(await accounts.authenticate(key)).toMatchObject({ keyId: id });
    const heard: string[] = [];
    const stop = accounts.onRevoked((keyId) => heard.push(keyId));
    expect(await accounts.revokeKey(YOU, id)).toBe("unknown");
    expect(await accounts.revokeKey(ME, "key_unknown")).toBe("unknown");
    expect(await accounts.authenticate(key)).toMatchObject({ keyId: id });
    expect(heard).toEqual([]);
    expect(await accounts.revokeKey(ME, id)).toBe("done");
    expect(await accounts.authenticate(key)).toBeUndefined();
    expect(await accounts.revokeKey(ME, id)).toBe("unknown");
    expect(heard).toEqual([id]);
    stop();
    const other = await createKey({ name: "o" });
    await accounts.revokeKey(ME, other.id);
    expect(heard).toEqual([id]);
  });

  test("[A6] a key that is revoked while it is looked up is not remembered", async () => {
    await addUser("me");
    const { id, key } = await createKey({ name: "n" });
    // A store whose answers come late: what it has read is from before the revocation.
    const { accounts: store } = new MemoryStore({ disk });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let isHeld = true;
    const slow = accountsOn(
      lookingUp(store, async (hash) => {
        const record = await store.keyByHash(hash);
        if (isHeld) await held;
        return record;
      }),
    );
    const lookups = [slow.authenticate(key), slow.authenticate(key)];
    await new Promise(setImmediate);
    isHeld = false;
    expect(await slow.revokeKey(ME, id)).toBe("done");
    release();
    expect(await Promise.all(lookups)).toEqual([undefined, undefined]);
    expect(await slow.authenticate(key)).toBeUndefined();
  });

  test("[A6] a revocation that the store could not write is none", async () => {
    await addUser("me");
    const { id, key } = await createKey({ name: "n" });
    await accounts.authenticate(key);
    const heard: string[] = [];
    accounts.onRevoked((keyId) => heard.push(keyId));
    commit = () => Promise.reject(new Error("disk full"));
    await expect(accounts.revokeKey(ME, id)).rejects.toMatchObject({ code: "store_unavailable" });
    expect(heard).toEqual([]);
    expect(await accounts.authenticate(key)).toMatchObject({ keyId: id });
  });

  test("[A9] keys are listed in the order of their creation, with all but themselves", async () => {
    const { keyId } = await addUser("me");
    const root = newNodeKey(Math.random);
    seconds += 5;
    const second = await createKey({ name: "second", scope: "read", root, expiresAt: START + 99 });
    const list = await accounts.listKeys(ME);
    const hashes = [...disk.keys.keys()];
    expect(list).toEqual([
      {
        id: keyId,
        user: ME,
        hash: hashes[0],
        name: "first key",
        scope: "write",
        root: undefined,
        createdAt: START,
        lastUsedAt: undefined,
        expiresAt: undefined,
      },
      {
        id: second.id,
        user: ME,
        hash: hashes[1],
        name: "second",
        scope: "read",
        root,
        createdAt: START + 5,
        lastUsedAt: undefined,
        expiresAt: START + 99,
      },
    ]);
  });
});

describe("uses", () => {
  const lastUsedAt = async () => (await accounts.listKeys(ME))[0]?.lastUsedAt;
  const settled = () => new Promise(setImmediate);

  test("[A8] a use is written down at most once a minute", async () => {
    const { key } = await addUser("me");
    expect(await lastUsedAt()).toBeUndefined();
    const before = commits;
    for (let use = 0; use < 50; use += 1) await accounts.authenticate(key);
    await settled();
    expect(await lastUsedAt()).toBe(START);
    seconds += 59;
    await accounts.authenticate(key);
    await settled();
    expect(await lastUsedAt()).toBe(START);
    seconds += 1;
    await accounts.authenticate(key);
    await settled();
    expect(await lastUsedAt()).toBe(START + 60);
    expect(commits).toBe(before + 2);
  });

  test("[A8] no request waits for the note of its use, and none fails with it", async () => {
    const { key } = await addUser("me");
    let release = (): void => undefined;
    commit = () => new Promise<void>((resolve) => (release = resolve));
    expect(await accounts.authenticate(key)).toMatchObject({ user: "me" });
    release();
    await settled();
    expect(await lastUsedAt()).toBe(START);
    seconds += 60;
    commit = () => Promise.reject(new Error("disk full"));
    expect(await accounts.authenticate(key)).toMatchObject({ user: "me" });
    await settled();
    commit = () => undefined;
    seconds += 60;
    await accounts.authenticate(key);
    await settled();
    expect(await lastUsedAt()).toBe(START + 120);
  });
});

describe("the cache", () => {
  /** Counts what reaches the store. */
  function counted() {
    const { accounts: store } = new MemoryStore({ disk });
    const lookups: string[] = [];
    let failing = false;
    const counting = lookingUp(store, async (hash) => {
      lookups.push(hash);
      if (failing) throw new Error("away");
      return store.keyByHash(hash);
    });
    return { accounts: accountsOn(counting), lookups, fail: (is: boolean) => (failing = is) };
  }

  test("[A10] a key is looked up once, however many ask at once, and unknown ones too", async () => {
    const { key } = await addUser("me");
    const { accounts: cached, lookups } = counted();
    const principals = await Promise.all(
      Array.from({ length: 20 }, () => cached.authenticate(key)),
    );
    expect(new Set(principals).size).toBe(1);
    await cached.authenticate(key);
    expect(lookups).toEqual([hashOfKey(key)]);
    for (let round = 0; round < 3; round += 1) await cached.authenticate("unknown");
    expect(lookups.length).toBe(2);
  });

  test("[A10] any number of wrong keys neither grows the cache nor pushes out a right one", async () => {
    const { key } = await addUser("me");
    const { accounts: cached, lookups } = counted();
    await cached.authenticate(key);
    for (let wrong = 0; wrong < 12_000; wrong += 1) await cached.authenticate(`wrong ${wrong}`);
    const before = lookups.length;
    await cached.authenticate(key);
    expect(lookups.length).toBe(before);
    // The oldest wrong ones have been forgotten.
    await cached.authenticate("wrong 0");
    expect(lookups.length).toBe(before + 1);
  });

  test("[A10] a key that becomes known after it was refused is accepted", async () => {
    expect(await accounts.authenticate(GIVEN)).toBeUndefined();
    await addUser("me", GIVEN);
    expect(await accounts.authenticate(GIVEN)).toMatchObject({ user: "me" });
  });

  test("[A10] a failure of the store is no answer, and is not remembered", async () => {
    const { key } = await addUser("me");
    const { accounts: cached, fail } = counted();
    fail(true);
    await expect(cached.authenticate(key)).rejects.toThrow("away");
    fail(false);
    expect(await cached.authenticate(key)).toMatchObject({ user: "me" });
  });

  test("[A10] when the store was replaced, nothing is answered from memory", async () => {
    const { key } = await addUser("me");
    await accounts.authenticate(key);
    await accounts.authenticate(GIVEN);
    disk.keys.clear();
    expect(await accounts.authenticate(key)).toMatchObject({ user: "me" });
    accounts.storeReplaced();
    expect(await accounts.authenticate(key)).toBeUndefined();
  });
});
