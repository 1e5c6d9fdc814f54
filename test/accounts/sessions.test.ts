import { beforeEach, describe, expect, test } from "vitest";

import type { UserId } from "../../src/accounts/account-store.ts";
import { Accounts, MOST_KEYS, MOST_SESSIONS } from "../../src/accounts/accounts.ts";
import { hashOfKey } from "../../src/accounts/api-key.ts";
import { browserName } from "../../src/accounts/browser-name.ts";
import type { Principal } from "../../src/accounts/principal.ts";
import { SESSION_SECONDS } from "../../src/accounts/session-token.ts";
import { newMemoryDisk } from "../support/memory-store/memory-disk.ts";
import type { MemoryDisk } from "../support/memory-store/memory-disk.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";

const START = 1_700_000_000;
const ME = "me" as UserId;
const YOU = "you" as UserId;

let seconds: number;
let commit: () => Promise<void> | void;
let disk: MemoryDisk;
let accounts: Accounts;
let key: string;
let me: Principal;

beforeEach(async () => {
  seconds = START;
  commit = () => undefined;
  disk = newMemoryDisk();
  let next = 0;
  accounts = new Accounts({
    store: new MemoryStore({ disk, beforeCommit: () => commit() }).accounts,
    now: () => seconds * 1000,
    randomBytes: (length) =>
      Uint8Array.from({ length }, () => (next = (next * 5 + 7) % 65_521) % 248),
    random: Math.random,
  });
  const added = await accounts.addUser("me");
  if (added.kind !== "added") throw new Error(added.kind);
  ({ key } = added);
  me = await principalOf(key);
});

async function principalOf(secret: string, kind: "key" | "session" = "key"): Promise<Principal> {
  const principal = await accounts.who({ kind, secret });
  if (principal === undefined) throw new Error("nobody");
  return principal;
}

async function signIn(principal = me, userAgent?: string): Promise<string> {
  const token = await accounts.createSession(principal, userAgent);
  if (token === undefined) throw new Error("the key is good");
  return token;
}

async function make(input: { name: string; expiresAt?: number }, maker?: Principal) {
  const created = await accounts.createKey(ME, input, maker);
  if (created.kind !== "created") throw new Error(created.kind);
  return created;
}

const bySession = (secret: string) => accounts.who({ kind: "session", secret });

describe("sessions", () => {
  test("[A31] a session has a token of its own, of which a hash is stored", async () => {
    const token = await signIn(me, "Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0");
    expect(token).toMatch(/^os_[0-9A-Za-z]{32}$/);
    expect(await signIn()).not.toBe(token);
    expect(await bySession(token)).toMatchObject({
      user: ME,
      outline: me.outline,
      keyId: me.keyId,
      scope: "write",
      expiresAt: START + SESSION_SECONDS,
      keyExpiresAt: undefined,
    });
    const [session] = await accounts.listSessions(ME);
    expect(session).toEqual({
      id: (await bySession(token))?.sessionId,
      user: ME,
      hash: hashOfKey(token),
      keyId: me.keyId,
      keyHash: hashOfKey(key),
      browser: "Firefox on Linux",
      createdAt: START,
      lastUsedAt: START,
      expiresAt: START + SESSION_SECONDS,
    });
    expect(JSON.stringify([...disk.sessions.values()])).not.toContain(token.slice(3));
  });

  test("[A43] a token opens nothing as a key, nor a key as a token", async () => {
    const token = await signIn();
    expect(await accounts.authenticate(token)).toBeUndefined();
    expect(await bySession(key)).toBeUndefined();
    expect(await bySession(me.keyId)).toBeUndefined();
  });

  test("[A44] a session ends after 180 days, used or not, and is listed no more", async () => {
    const token = await signIn();
    seconds += SESSION_SECONDS - 1;
    expect(await bySession(token)).toMatchObject({ user: ME });
    seconds += 1;
    expect(await bySession(token)).toBeUndefined();
    expect(await accounts.listSessions(ME)).toEqual([]);
  });

  test("[A44, A45, C20] a session says when it ends with its key, and is listed no more then", async () => {
    const short = await make({ name: "short", expiresAt: START + 10 });
    await signIn(await principalOf(short.key));
    expect(await accounts.listSessions(ME)).toMatchObject([{ expiresAt: START + 10 }]);
    seconds += 10;
    expect(await accounts.listSessions(ME)).toEqual([]);
  });

  test("[A44] a session ends with its key: revoked, expired, or its user removed", async () => {
    const { id, key: second } = await make({ name: "second" });
    const short = await make({ name: "short", expiresAt: START + 10 });
    const ofSecond = await signIn(await principalOf(second));
    const ofShort = await signIn(await principalOf(short.key));
    const ofFirst = await signIn();
    const heard: string[] = [];
    accounts.onRevoked((ended) => heard.push(ended));
    const { sessionId } = await principalOf(ofSecond, "session");
    await accounts.revokeKey(ME, id);
    expect(heard).toEqual([id, sessionId]);
    expect(await bySession(ofSecond)).toBeUndefined();
    expect(await bySession(ofShort)).toMatchObject({ user: ME });
    seconds += 10;
    expect(await bySession(ofShort)).toBeUndefined();
    expect(await bySession(ofFirst)).toMatchObject({ user: ME });
    await accounts.removeUser(ME);
    expect(await bySession(ofFirst)).toBeUndefined();
    expect(disk.sessions.size).toBe(0);
  });

  test("[A46] a session that was ended opens nothing, and those who listen hear of it", async () => {
    await accounts.addUser("you");
    const [one, other] = [await signIn(), await signIn()];
    const principal = await principalOf(one, "session");
    const heard: string[] = [];
    accounts.onRevoked((ended) => heard.push(ended));
    expect(await accounts.endSessions(YOU, { id: principal.id })).toBe("unknown");
    expect(principal.end).toBeUndefined();
    expect(await accounts.endSessions(ME, { id: principal.id })).toBe("done");
    expect(await accounts.endSessions(ME, { id: principal.id })).toBe("unknown");
    expect([heard, principal.end]).toEqual([[principal.id], "revoked"]);
    expect(await bySession(one)).toBeUndefined();
    expect(await bySession(other)).toMatchObject({ user: ME });
    expect(await accounts.authenticate(key)).toMatchObject({ user: ME });
    expect(await accounts.endSessions(ME, { allBut: undefined })).toBe("done");
    expect(await bySession(other)).toBeUndefined();
  });

  test("[A65] a session's use is that of its key, written down at most once a minute", async () => {
    const token = await signIn();
    seconds += 59;
    await bySession(token);
    await new Promise(setImmediate);
    expect((await accounts.listSessions(ME))[0]?.lastUsedAt).toBe(START);
    seconds += 1;
    await bySession(token);
    await new Promise(setImmediate);
    expect((await accounts.listSessions(ME))[0]?.lastUsedAt).toBe(START + 60);
    expect((await accounts.listKeys(ME))[0]?.lastUsedAt).toBe(START + 60);
  });

  test("[Q22] the hundred and first browser ends the one that was unused for longest", async () => {
    const tokens: string[] = [];
    for (let index = 0; index < MOST_SESSIONS; index++) tokens.push(await signIn());
    seconds += 60;
    const [first = "", second = ""] = tokens;
    const held = await principalOf(second, "session");
    seconds += 60;
    for (const token of [first, ...tokens.slice(2)]) await bySession(token);
    await new Promise(setImmediate);
    await signIn();
    expect(await accounts.listSessions(ME)).toHaveLength(MOST_SESSIONS);
    expect([held.end, await bySession(second)]).toEqual(["revoked", undefined]);
    expect(await bySession(first)).toMatchObject({ user: ME });
  });
});

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36 Edg/129.0.0.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Mobile Safari/537.36",
    "Chrome on Android",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
    "Safari on iPhone",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
    "Safari on macOS",
  ],
  ["curl/8.5.0", "curl 8.5.0"],
  ["\u001b[2J<b>tool</b>\r\n\u202e", "2J b tool b"],
  ["long ".repeat(1000), "long ".repeat(12).trimEnd()],
  ["", "an unknown browser"],
  ["\u0000\u009b", "an unknown browser"],
  [undefined, "an unknown browser"],
])("[A48] a browser that says %j is shown in plain words", (says, shown) => {
  expect(browserName(says)).toBe(shown);
});

describe("keys that make keys", () => {
  test("[A71] a made key expires with its maker at the latest", async () => {
    const short = await make({ name: "short", expiresAt: START + 100 });
    const maker = await principalOf(short.key);
    const child = await make({ name: "child" }, maker);
    const shorter = await make({ name: "shorter", expiresAt: START + 50 }, maker);
    const grandchild = await make({ name: "grandchild" }, await principalOf(shorter.key));
    const expiries = (await accounts.listKeys(ME)).map(({ name, expiresAt }) => [name, expiresAt]);
    expect(expiries.slice(2)).toEqual([
      ["child", START + 100],
      ["shorter", START + 50],
      ["grandchild", START + 50],
    ]);
    const later = { name: "x", expiresAt: START + 101 };
    expect(await accounts.createKey(ME, later, maker)).toEqual({ kind: "too_long" });
    // The session's own end is not that of its key, and the other way round.
    const session = await principalOf(await signIn(), "session");
    const ofSession = await make({ name: "of session" }, session);
    seconds += 100;
    expect(await accounts.createKey(ME, { name: "x" }, maker)).toEqual({ kind: "ended" });
    for (const { key: each } of [child, shorter, grandchild]) {
      expect(await accounts.authenticate(each)).toBeUndefined();
    }
    seconds = START + SESSION_SECONDS;
    expect(await accounts.authenticate(ofSession.key)).toMatchObject({ user: ME });
  });

  test("[A71] a revocation takes along all that was made with the key, whoever holds it", async () => {
    const child = await make({ name: "child" }, me);
    const childIs = await principalOf(child.key);
    const grandchild = await make({ name: "grandchild" }, childIs);
    const token = await signIn(await principalOf(grandchild.key));
    const held = [childIs, await principalOf(grandchild.key), await principalOf(token, "session")];
    expect(held.map(({ family }) => family)).toEqual([me.keyId, me.keyId, me.keyId]);
    const heard: string[] = [];
    accounts.onRevoked((id) => heard.push(id));
    expect(await accounts.revokeKey(ME, child.id)).toBe("done");
    expect(heard).toEqual(held.map(({ id }) => id));
    expect(held.map(({ end }) => end)).toEqual(["revoked", "revoked", "revoked"]);
    for (const each of [child.key, grandchild.key]) {
      expect(await accounts.authenticate(each)).toBeUndefined();
    }
    expect(await bySession(token)).toBeUndefined();
    expect([me.end, await accounts.authenticate(key)]).toEqual([undefined, me]);
  });

  test("[A72] a key that may not do everything makes no other", async () => {
    const reader = await accounts.createKey(ME, { name: "reader", scope: "read" });
    if (reader.kind !== "created") throw new Error(reader.kind);
    const asked = await accounts.createKey(ME, { name: "x" }, await principalOf(reader.key));
    expect(asked).toEqual({ kind: "too_much" });
    expect(await accounts.listKeys(ME)).toHaveLength(2);
  });

  test("[Q21] the two hundred and first key is refused, whoever makes it", async () => {
    for (let index = 1; index < MOST_KEYS; index++) await make({ name: `${index}` }, me);
    expect(await accounts.createKey(ME, { name: "x" }, me)).toEqual({ kind: "full" });
    expect(await accounts.createKey(ME, { name: "x" })).toEqual({ kind: "full" });
    expect(await accounts.listKeys(ME)).toHaveLength(MOST_KEYS);
    const last = (await accounts.listKeys(ME)).at(-1);
    await accounts.revokeKey(ME, last?.id ?? "");
    await make({ name: "x" });
  });
});

describe("what waits", () => {
  test("[A11] nothing is made or ended by who was revoked while the store was slow", async () => {
    const asking = await make({ name: "asking" });
    const asker = await principalOf(asking.key);
    const session = await principalOf(await signIn(asker), "session");
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    commit = () => held;
    const waiting = [
      accounts.revokeKey(ME, asking.id),
      accounts.createKey(ME, { name: "late" }, asker),
      accounts.createKey(ME, { name: "late" }, session),
      accounts.revokeKey(ME, me.keyId, asker),
      accounts.createSession(asker),
      accounts.endSessions(ME, { allBut: undefined }, session),
    ] as const;
    release();
    expect(await Promise.all(waiting)).toEqual([
      "done",
      { kind: "ended" },
      { kind: "ended" },
      "asker_ended",
      undefined,
      "asker_ended",
    ]);
    expect((await accounts.listKeys(ME)).map(({ name }) => name)).toEqual(["first key"]);
    expect(await accounts.listSessions(ME)).toEqual([]);
  });

  test("[A11] a principal that is held ends with its key", async () => {
    const { id, key: lost } = await make({ name: "lost" });
    const held = await principalOf(lost);
    expect(held.end).toBeUndefined();
    await accounts.revokeKey(ME, id);
    expect(held.end).toBe("revoked");
  });

  test("[A11] after a backup was restored, who is held has to be asked for anew", async () => {
    accounts.storeReplaced();
    expect(me.end).toBe("replaced");
    const anew = await principalOf(key);
    expect([anew.end, anew.id]).toEqual([undefined, me.id]);
  });
});
