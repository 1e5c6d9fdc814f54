import { describe, expect, test } from "vitest";

import type {
  Asker,
  KeyRecord,
  SessionRecord,
  User,
  UserId,
} from "../../src/accounts/account-store.ts";
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
    maker: undefined,
    createdAt: 1_700_000_000,
    lastUsedAt: undefined,
    expiresAt: undefined,
  };
}

function aSession(key: KeyRecord, name: string, lastUsedAt = key.createdAt): SessionRecord {
  return {
    id: `session_${key.user}_${name}`,
    user: key.user,
    hash: hashOfKey(`${key.user} session ${name}`),
    keyId: key.id,
    keyHash: key.hash,
    browser: `browser ${name}`,
    createdAt: key.createdAt,
    lastUsedAt,
    expiresAt: key.createdAt + 1000,
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

    test("[P22] keys are changed as one, by what there is, and by nobody else meanwhile", async () => {
      const first = await openStore();
      const [user, other] = [aUser("me"), aUser("other")];
      const key = aKey(user, "first");
      await first.accounts.addUser(user, key);
      await first.accounts.addUser(other, aKey(other, "first"));
      await first.accounts.addSession(aSession(key, "x"), 10);
      const made = { ...aKey(user, "made"), maker: key.id };
      const token = { ...aKey(user, "token"), maker: made.id, grant: { kind: "token" } as const };
      const added = await first.accounts.changeKeys(user.id, ({ keys, sessions }) => ({
        answer: [keys.length, sessions.length],
        added: [made, token],
      }));
      expect(added).toEqual({ answer: [1, 1], ended: { keys: [], sessions: [] } });
      const changed = { ...made, lastUsedAt: 1_700_000_005, expiresAt: 1_700_000_009 };
      const later = aKey(user, "later");
      const outcome = await first.accounts.changeKeys(user.id, ({ keys }) => ({
        answer: keys.map(({ name }) => name),
        ended: { keys: keys.filter(({ name }) => name === "token"), sessions: [] },
        changed: [changed],
        added: [later],
      }));
      expect(outcome).toEqual({
        answer: ["first", "made", "token"],
        ended: { keys: [token], sessions: [] },
      });
      const { accounts } = await first.restart();
      expect(await accounts.keysOf(user.id)).toEqual([key, changed, later]);
      expect(await accounts.keyByHash(token.hash)).toBeUndefined();
      expect(await accounts.keyByHash(changed.hash)).toEqual(changed);
      expect(await accounts.keyByHash(later.hash)).toEqual(later);
      expect(await accounts.keysOf(other.id)).toHaveLength(1);
      const counts = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          accounts.changeKeys(user.id, ({ keys }) => ({
            answer: keys.length,
            added: [aKey(user, `at once ${index}`)],
          })),
        ),
      );
      expect(counts.map(({ answer }) => answer).sort((a, b) => a - b)).toEqual([3, 4, 5, 6, 7]);
    });

    test("[P22] what is not there is undefined, empty or false", async () => {
      const { accounts } = await openStore();
      const user = aUser("nobody");
      expect(await accounts.user(user.id)).toBeUndefined();
      expect(await accounts.users()).toEqual([]);
      expect(await accounts.keyByHash(hashOfKey("x"))).toBeUndefined();
      expect(await accounts.keysOf(user.id)).toEqual([]);
      expect(await accounts.removeUser(user.id)).toBeUndefined();
      expect(await accounts.removeKey(user.id, "key_1")).toBeUndefined();
      expect(await accounts.sessionByHash(hashOfKey("x"))).toBeUndefined();
      expect(await accounts.sessionsOf(user.id)).toEqual([]);
      expect(await accounts.removeSessions(user.id, { allBut: undefined })).toEqual([]);
      await accounts.touchSession(hashOfKey("x"), 1);
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
      expect(await accounts.addKey(key)).toBe("taken");
      expect(await accounts.addKey(aKey(you, "first"))).toBe("unknown_user");
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

    test("[P22, Q21] what would have made room stays when another adds the hash at the same moment", async () => {
      const { accounts } = await openStore();
      const users = ["x", "y", "z"].map(aUser);
      for (const user of users) {
        await accounts.addUser(user, aKey(user, "first"));
        await accounts.addKey({ ...aKey(user, "old"), expiresAt: 1_700_000_001 });
      }
      const hash = hashOfKey("shared");
      const added = await Promise.all(
        users.map((user) => {
          const key = { ...aKey(user, "new"), hash, createdAt: 1_700_000_002 };
          return accounts.addKey(key, { most: 2 });
        }),
      );
      expect(added.toSorted()).toEqual(["added", "taken", "taken"]);
      for (const [index, user] of users.entries()) {
        const names = (await accounts.keysOf(user.id)).map(({ name }) => name);
        expect(names).toEqual(["first", added[index] === "added" ? "new" : "old"]);
      }
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
      expect(together).toEqual(["added", "added", "added"]);
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
      expect(removed).toMatchObject({ keys: [{ id: key.id }], sessions: [] });
      expect(await accounts.keyByHash(key.hash)).toBeUndefined();
      expect(await accounts.keysOf(user.id)).toEqual([]);
    });

    test("[P22] only the owner's keys can be removed", async () => {
      const { accounts } = await openStore();
      const [me, you] = [aUser("me"), aUser("you")];
      await accounts.addUser(me, aKey(me, "first"));
      await accounts.addUser(you, aKey(you, "first"));
      expect(await accounts.removeKey(me.id, aKey(you, "first").id)).toBeUndefined();
      expect(await accounts.removeKey(you.id, aKey(you, "first").id)).toBeDefined();
      expect(await accounts.removeKey(you.id, aKey(you, "first").id)).toBeUndefined();
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
        sessions: [],
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
      expect(await accounts.addKey(aKey(me, "third"))).toBe("unknown_user");
      expect(await accounts.addUser(me, aKey(me, "first"))).toBe(true);
    });

    test("[P22] sessions come in the order in which they were added, after a restart too", async () => {
      const first = await openStore();
      const user = aUser("me");
      const key = aKey(user, "first");
      await first.accounts.addUser(user, key);
      const sessions = ["z", "y", "a"].map((name) => aSession(key, name));
      for (const session of sessions) {
        expect(await first.accounts.addSession(session, 10)).toEqual({ kind: "added", ended: [] });
      }
      const { accounts } = await first.restart();
      expect(await accounts.sessionsOf(user.id)).toEqual(sessions);
      expect(await accounts.sessionByHash(sessions[1]?.hash ?? "")).toEqual(sessions[1]);
      // They are no keys, nor are keys sessions.
      expect(await accounts.keyByHash(sessions[1]?.hash ?? "")).toBeUndefined();
      expect(await accounts.sessionByHash(key.hash)).toBeUndefined();
      expect(await accounts.keysOf(user.id)).toEqual([key]);
    });

    test("[P22] a session's use is noted with its key's, and brings nothing back", async () => {
      const { accounts } = await openStore();
      const user = aUser("me");
      const key = aKey(user, "first");
      const session = aSession(key, "a");
      await accounts.addUser(user, key);
      await accounts.addSession(session, 10);
      await accounts.touchSession(session.hash, 1_700_000_060);
      expect(await accounts.sessionsOf(user.id)).toEqual([
        { ...session, lastUsedAt: 1_700_000_060 },
      ]);
      expect(await accounts.keysOf(user.id)).toEqual([{ ...key, lastUsedAt: 1_700_000_060 }]);
      await Promise.all([
        accounts.removeSessions(user.id, { id: session.id }),
        accounts.touchSession(session.hash, 1_700_000_120),
      ]);
      expect(await accounts.sessionByHash(session.hash)).toBeUndefined();
      expect(await accounts.sessionsOf(user.id)).toEqual([]);
    });

    test("[P22] one session ends, or all but one, and only those of the user", async () => {
      const { accounts } = await openStore();
      const [me, you] = [aUser("me"), aUser("you")];
      const [mine, yours] = [aKey(me, "first"), aKey(you, "first")];
      await accounts.addUser(me, mine);
      await accounts.addUser(you, yours);
      const [a, b, c] = ["a", "b", "c"].map((name) => aSession(mine, name));
      const other = aSession(yours, "other");
      for (const session of [a, b, c, other]) {
        if (session !== undefined) await accounts.addSession(session, 10);
      }
      expect(await accounts.removeSessions(me.id, { id: other.id })).toEqual([]);
      expect(await accounts.removeSessions(me.id, { id: a?.id ?? "" })).toEqual([a]);
      expect(await accounts.removeSessions(me.id, { allBut: c?.id })).toEqual([b]);
      expect(await accounts.removeSessions(me.id, { allBut: undefined })).toEqual([c]);
      expect(await accounts.sessionsOf(you.id)).toEqual([other]);
    });

    test("[A71, P22] a key ends with all that descends from it and their sessions, at once", async () => {
      const first = await openStore();
      const user = aUser("me");
      const [root, other] = [aKey(user, "root"), aKey(user, "other")];
      const child = { ...aKey(user, "child"), maker: root.id };
      const grandchild = { ...aKey(user, "grandchild"), maker: child.id };
      const stranger = { ...aKey(user, "stranger"), maker: other.id };
      await first.accounts.addUser(user, root);
      for (const key of [other, child, stranger, grandchild]) await first.accounts.addKey(key);
      const sessions = [root, other, child, grandchild, stranger].map((key) =>
        aSession(key, key.name),
      );
      for (const session of sessions) await first.accounts.addSession(session, 10);
      const ended = await first.accounts.removeKey(user.id, root.id);
      expect(ended).toEqual({
        keys: [root, child, grandchild],
        sessions: [sessions[0], sessions[2], sessions[3]],
      });
      const { accounts } = await first.restart();
      expect(await accounts.keysOf(user.id)).toEqual([other, stranger]);
      expect(await accounts.sessionsOf(user.id)).toEqual([sessions[1], sessions[4]]);
      for (const key of [root, child, grandchild]) {
        expect(await accounts.keyByHash(key.hash)).toBeUndefined();
      }
      expect(await accounts.removeUser(user.id)).toEqual({
        user,
        keys: [other, stranger],
        sessions: [sessions[1], sessions[4]],
      });
      expect(await accounts.sessionByHash(sessions[1]?.hash ?? "")).toBeUndefined();
    });

    test("[A11, P22] nothing is changed for who has ended, whatever comes first", async () => {
      const { accounts } = await openStore();
      const user = aUser("me");
      const [first, asking] = [aKey(user, "first"), aKey(user, "asking")];
      await accounts.addUser(user, first);
      await accounts.addKey(asking);
      const session = aSession(asking, "a");
      await accounts.addSession(session, 10);
      const key: Asker = { keyId: asking.id, sessionId: undefined };
      const browser: Asker = { keyId: asking.id, sessionId: session.id };
      expect(await accounts.addKey(aKey(user, "in time"), { asker: browser })).toBe("added");
      await accounts.removeSessions(user.id, { id: session.id });
      expect(await accounts.addKey(aKey(user, "late"), { asker: browser })).toBe("asker_ended");
      const outcomes = await Promise.all([
        accounts.removeKey(user.id, asking.id),
        accounts.addKey(aKey(user, "late"), { asker: key }),
        accounts.removeKey(user.id, first.id, key),
        accounts.addSession(aSession(asking, "b"), 10),
        accounts.removeSessions(user.id, { allBut: undefined }, key),
      ]);
      expect(outcomes.slice(1)).toEqual([
        "asker_ended",
        "asker_ended",
        { kind: "key_ended" },
        "asker_ended",
      ]);
      expect((await accounts.keysOf(user.id)).map(({ name }) => name)).toEqual([
        "first",
        "in time",
      ]);
      expect(await accounts.sessionsOf(user.id)).toEqual([]);
    });

    test("[Q21] a user has so many keys; expired ones make room, with what was made with them", async () => {
      const { accounts } = await openStore();
      const user = aUser("me");
      const { createdAt } = aKey(user, "first");
      await accounts.addUser(user, aKey(user, "first"));
      const short = { ...aKey(user, "short"), expiresAt: createdAt + 5 };
      const shorter = { ...aKey(user, "shorter"), maker: short.id, expiresAt: createdAt + 4 };
      const most = 3;
      for (const key of [short, shorter])
        expect(await accounts.addKey(key, { most })).toBe("added");
      const next = aKey(user, "next");
      expect(await accounts.addKey(next, { most })).toBe("full");
      const later = { ...next, createdAt: createdAt + 4 };
      expect(await accounts.addKey(later, { most })).toBe("added");
      const names = async () => (await accounts.keysOf(user.id)).map(({ name }) => name);
      expect(await names()).toEqual(["first", "short", "next"]);
      expect(await accounts.keyByHash(shorter.hash)).toBeUndefined();
      // A store with more from before goes on with them.
      await accounts.addKey(aKey(user, "beyond"));
      expect(await accounts.addKey(aKey(user, "one more"), { most })).toBe("full");
      expect(await names()).toHaveLength(4);
    });

    test("[Q22] a user has so many sessions: expired ones go, then those unused for longest", async () => {
      const { accounts } = await openStore();
      const user = aUser("me");
      const key = aKey(user, "first");
      await accounts.addUser(user, key);
      const a = aSession(key, "a", key.createdAt + 3);
      const b = aSession(key, "b", key.createdAt + 1);
      const c = aSession(key, "c", key.createdAt + 2);
      for (const session of [a, b]) await accounts.addSession(session, 2);
      expect(await accounts.addSession(c, 2)).toEqual({ kind: "added", ended: [b] });
      expect(await accounts.sessionsOf(user.id)).toEqual([a, c]);
      expect(await accounts.sessionByHash(b.hash)).toBeUndefined();
      // Whoever has another key signs out its own browsers first.
      const other = aKey(user, "other");
      await accounts.addKey(other);
      await accounts.addSession(aSession(other, "x", key.createdAt + 9), 3);
      const y = aSession(other, "y", key.createdAt + 9);
      const x = aSession(other, "x", key.createdAt + 9);
      expect(await accounts.addSession(y, 3)).toEqual({ kind: "added", ended: [x] });
      const z = aSession(other, "z", key.createdAt + 9);
      expect(await accounts.addSession(z, 3)).toEqual({ kind: "added", ended: [y] });
      await accounts.removeKey(user.id, other.id);
      const later = { ...aSession(key, "d"), createdAt: a.expiresAt };
      expect(await accounts.addSession(later, 2)).toEqual({ kind: "added", ended: [a, c] });
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
        accounts.sessionByHash("00"),
        accounts.sessionsOf(user.id),
        accounts.addSession(aSession(aKey(user, "first"), "a"), 1),
        accounts.touchSession("00", 1),
        accounts.removeSessions(user.id, { allBut: undefined }),
      ]);
      const refused = { status: "rejected", reason: { name: "StoreError", code: "store_closed" } };
      expect(calls).toMatchObject(calls.map(() => refused));
    });
  });
}
