import { describe, expect, test } from "vitest";

import type { KeyRecord, User, UserId } from "../../src/accounts/account-store.ts";
import { hashOfKey } from "../../src/accounts/api-key.ts";
import { ROOT } from "../../src/core/node-key.ts";
import { storesOf } from "./open-stores.ts";
import type { StoreDriver } from "./store-driver.ts";
import { anOutline } from "./store-driver.ts";

function aUser(id: string): User {
  return { id: id as UserId, outline: anOutline(), createdAt: 1_700_000_000 };
}

function aKey(user: User, name: string): KeyRecord {
  return {
    id: `key_${user.id}_${name}`,
    user: user.id,
    hash: hashOfKey(`${user.id} ${name}`),
    name,
    scope: "write",
    root: undefined,
    createdAt: 1_700_000_000,
    lastUsedAt: undefined,
    expiresAt: undefined,
  };
}

/** Every rule of the port that a test can show on any driver. */
export function accountStoreContract(driver: StoreDriver): void {
  describe(`account store: ${driver.name}`, () => {
    const openStore = storesOf(driver);

    test("[P22] a user is there with the first key, after a restart too", async () => {
      const first = await openStore();
      const user = aUser("me");
      const key: KeyRecord = {
        ...aKey(user, "first"),
        scope: "read",
        root: ROOT,
        expiresAt: 1_800_000_000,
      };
      expect(await first.accounts.addUser(user, key)).toBe(true);
      const { accounts } = await first.restart();
      expect(await accounts.user(user.id)).toEqual(user);
      expect(await accounts.users()).toEqual([user]);
      expect(await accounts.keyByHash(key.hash)).toEqual(key);
      expect(await accounts.keysOf(user.id)).toEqual([key]);
    });

    test("[P22] what is not there is undefined, empty or false", async () => {
      const { accounts } = await openStore();
      const user = aUser("nobody");
      expect(await accounts.user(user.id)).toBeUndefined();
      expect(await accounts.users()).toEqual([]);
      expect(await accounts.keyByHash(hashOfKey("x"))).toBeUndefined();
      expect(await accounts.keysOf(user.id)).toEqual([]);
      expect(await accounts.removeUser(user.id)).toBeUndefined();
      expect(await accounts.removeKey(user.id, "key_1")).toBe(false);
      await accounts.touchKey(hashOfKey("x"), 1);
      expect(await accounts.keyByHash(hashOfKey("x"))).toBeUndefined();
    });

    test("[P22] a taken id or hash adds nothing", async () => {
      const { accounts } = await openStore();
      const [me, you] = [aUser("me"), aUser("you")];
      const key = aKey(me, "first");
      await accounts.addUser(me, key);
      expect(await accounts.addUser(aUser("me"), aKey(me, "other"))).toBe(false);
      expect(await accounts.addUser(you, { ...aKey(you, "first"), hash: key.hash })).toBe(false);
      expect(await accounts.addKey(key)).toBe(false);
      expect(await accounts.addKey(aKey(you, "first"))).toBe(false);
      expect(await accounts.users()).toEqual([me]);
      expect(await accounts.keysOf(me.id)).toEqual([key]);
      expect(await accounts.keysOf(you.id)).toEqual([]);
    });

    test("[P22] of additions at once that exclude each other one wins", async () => {
      const { accounts } = await openStore();
      const same = await Promise.all(
        ["a", "b", "c"].map((name) => accounts.addUser(aUser("me"), aKey(aUser("me"), name))),
      );
      expect(same.filter(Boolean).length).toBe(1);
      expect((await accounts.keysOf("me" as UserId)).length).toBe(1);
      const hash = hashOfKey("shared");
      const users = [aUser("x"), aUser("y"), aUser("z")];
      const shared = await Promise.all(
        users.map((user) => accounts.addUser(user, { ...aKey(user, "k"), hash })),
      );
      expect(shared.filter(Boolean).length).toBe(1);
      const winner = (await accounts.keyByHash(hash))?.user;
      expect((await accounts.users()).map(({ id }) => id)).toEqual(["me", winner]);
    });

    test("[P22] keys come in the order in which they were added, whatever they are called", async () => {
      const first = await openStore();
      const user = aUser("me");
      const names = ["z", "y", "m", "a", "b"];
      await first.accounts.addUser(user, aKey(user, "first"));
      for (const name of names) await first.accounts.addKey(aKey(user, name));
      await first.accounts.removeKey(user.id, aKey(user, "m").id);
      await first.accounts.removeKey(user.id, aKey(user, "b").id);
      await first.accounts.touchKey(aKey(user, "z").hash, 5);
      const { accounts } = await first.restart();
      await accounts.addKey(aKey(user, "c"));
      const keys = await accounts.keysOf(user.id);
      expect(keys.map(({ name }) => name)).toEqual(["first", "z", "y", "a", "c"]);
      const together = await Promise.all(
        ["1", "2", "3"].map((name) => accounts.addKey(aKey(user, name))),
      );
      expect(together).toEqual([true, true, true]);
      expect((await accounts.keysOf(user.id)).map(({ name }) => name).slice(-3)).toEqual([
        "1",
        "2",
        "3",
      ]);
    });

    test("[P22] a use is noted, and brings no removed key back", async () => {
      const { accounts } = await openStore();
      const user = aUser("me");
      const key = aKey(user, "first");
      await accounts.addUser(user, key);
      await accounts.touchKey(key.hash, 1_700_000_060);
      const touched = { ...key, lastUsedAt: 1_700_000_060 };
      expect(await accounts.keysOf(user.id)).toEqual([touched]);
      const [removed] = await Promise.all([
        accounts.removeKey(user.id, key.id),
        accounts.touchKey(key.hash, 1_700_000_120),
      ]);
      await accounts.touchKey(key.hash, 1_700_000_180);
      expect(removed).toBe(true);
      expect(await accounts.keyByHash(key.hash)).toBeUndefined();
      expect(await accounts.keysOf(user.id)).toEqual([]);
    });

    test("[P22] only the owner's keys can be removed", async () => {
      const { accounts } = await openStore();
      const [me, you] = [aUser("me"), aUser("you")];
      await accounts.addUser(me, aKey(me, "first"));
      await accounts.addUser(you, aKey(you, "first"));
      expect(await accounts.removeKey(me.id, aKey(you, "first").id)).toBe(false);
      expect(await accounts.removeKey(you.id, aKey(you, "first").id)).toBe(true);
      expect(await accounts.removeKey(you.id, aKey(you, "first").id)).toBe(false);
      expect(await accounts.keysOf(me.id)).toEqual([aKey(me, "first")]);
    });

    test("[P22] a removed user is gone with all keys, and others of similar names are not", async () => {
      const first = await openStore();
      const ids = ["me", "me0", "me.", "me-", "m", "me_", "__proto__", "constructor"];
      const users = ids.map(aUser);
      for (const user of users) {
        await first.accounts.addUser(user, aKey(user, "first"));
        await first.accounts.addKey(aKey(user, "second"));
      }
      const me = users[0] ?? aUser("me");
      expect(await first.accounts.removeUser(me.id)).toEqual({
        user: me,
        keys: [aKey(me, "first"), aKey(me, "second")],
      });
      const { accounts } = await first.restart();
      expect(await accounts.user(me.id)).toBeUndefined();
      expect(await accounts.keyByHash(aKey(me, "second").hash)).toBeUndefined();
      expect(await accounts.keysOf(me.id)).toEqual([]);
      const others = users.slice(1);
      expect(await accounts.users()).toEqual(others.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
      for (const user of others) {
        expect(await accounts.keysOf(user.id)).toEqual([aKey(user, "first"), aKey(user, "second")]);
      }
      expect(await accounts.addKey(aKey(me, "third"))).toBe(false);
      expect(await accounts.addUser(me, aKey(me, "first"))).toBe(true);
    });

    test("[P12] everything is refused after the close", async () => {
      const { log, accounts } = await openStore();
      const user = aUser("me");
      await accounts.addUser(user, aKey(user, "first"));
      await log.close();
      const calls = await Promise.allSettled([
        accounts.user(user.id),
        accounts.users(),
        accounts.addUser(aUser("you"), aKey(user, "x")),
        accounts.removeUser(user.id),
        accounts.keyByHash("00"),
        accounts.keysOf(user.id),
        accounts.addKey(aKey(user, "y")),
        accounts.touchKey("00", 1),
        accounts.removeKey(user.id, "key"),
      ]);
      const refused = { status: "rejected", reason: { name: "StoreError", code: "store_closed" } };
      expect(calls).toMatchObject(calls.map(() => refused));
    });
  });
}
