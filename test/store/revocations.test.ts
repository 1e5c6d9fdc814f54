import { randomBytes } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import type { UserId } from "../../src/accounts/account-store.ts";
import { Accounts } from "../../src/accounts/accounts.ts";
import { ensureFirstUser } from "../../src/first-user.ts";
import { LOCKS_BEGAN, PROCESS_CLASS } from "../../src/store/postgres/locks.ts";
import { SqlSession } from "../../src/store/postgres/sql-session.ts";
import { PATIENT } from "../support/postgres/postgres-server.ts";
import { DATABASE, usePostgres } from "../support/postgres/use-postgres.ts";

const ME = "me" as UserId;
const postgres = usePostgres();
const { sql } = postgres;
const undos: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const undo of undos.splice(0).toReversed()) await undo();
});

/** A process beside others, as `openService` makes one of it. */
async function newProcess(address: string, leaseMs = PATIENT.leaseMs) {
  const limits = { ...PATIENT, leaseMs };
  const store = await postgres.open({ limits, address });
  const accounts = new Accounts({
    store: store.accounts,
    now: Date.now,
    randomBytes,
    random: Math.random,
  });
  const ended: string[] = [];
  accounts.onRevoked((id) => ended.push(id));
  store.onNews((news) => accounts.changedElsewhere(news));
  return { store, accounts, ended };
}

async function newUser(accounts: Accounts) {
  const added = await accounts.addUser(ME);
  if (added.kind !== "added") throw new Error(added.kind);
  return added;
}

test("[P100] a key that a process has revoked opens nothing anywhere once that is answered, nor do its sessions", async () => {
  const [one, two] = [await newProcess("one:1"), await newProcess("two:2")];
  const { key, keyId } = await newUser(one.accounts);
  const principal = await two.accounts.authenticate(key);
  if (principal === undefined) throw new Error("the key is unknown");
  const token = await two.accounts.createSession(principal);
  const session = { kind: "session", secret: token ?? "" } as const;
  const signedIn = await one.accounts.who(session);
  expect([principal.end, signedIn?.end]).toEqual([undefined, undefined]);
  expect(await one.accounts.revokeKey(ME, keyId)).toBe("done");
  expect([principal.end, signedIn?.end]).toEqual(["revoked", "revoked"]);
  expect(two.ended).toEqual([keyId, signedIn?.id]);
  for (const { accounts } of [one, two]) {
    expect(await accounts.authenticate(key)).toBe(undefined);
    expect(await accounts.who(session)).toBe(undefined);
  }
});

test("[P100] a user who was removed opens nothing anywhere, and a session that has ended neither", async () => {
  const [one, two] = [await newProcess("one:1"), await newProcess("two:2")];
  const { key } = await newUser(one.accounts);
  const principal = await one.accounts.authenticate(key);
  if (principal === undefined) throw new Error("the key is unknown");
  const token = (await one.accounts.createSession(principal)) ?? "";
  const signedIn = await two.accounts.who({ kind: "session", secret: token });
  await one.accounts.endSessions(ME, { allBut: undefined });
  expect(signedIn?.end).toBe("revoked");
  const known = await two.accounts.authenticate(key);
  await one.accounts.removeUser(ME);
  expect(known?.end).toBe("revoked");
});

test("[P100] a key that was asked for before it was there opens once it is, in every process", async () => {
  const [one, two] = [await newProcess("one:1"), await newProcess("two:2")];
  const key = "a-key-that-is-given";
  expect(await two.accounts.authenticate(key)).toBe(undefined);
  expect(await one.accounts.addUser(ME, { key })).toMatchObject({ kind: "added" });
  const principal = await two.accounts.authenticate(key);
  expect(principal).toMatchObject({ user: ME, end: undefined });
  const own = await one.accounts.authenticate(key);
  await one.accounts.createKey(ME, { name: "another" });
  expect([principal?.end, own?.end]).toEqual([undefined, undefined]);
});

test("[P100] a revocation is not answered before a process that lives has heard of it", async () => {
  const one = await newProcess("one:1");
  const { key, keyId } = await newUser(one.accounts);
  // One that never listens.
  const session = await SqlSession.open({
    ...PATIENT,
    silenceMs: PATIENT.answerMs,
    url: postgres.server.urlOf(DATABASE),
  });
  undos.push(() => session.close());
  await session.query(`select pg_advisory_lock(${PROCESS_CLASS}, 1000)`);
  await sql(`insert into outline_store.process (id, address, locked_in) overriding system value
    values (1000, 'deaf:1', ${LOCKS_BEGAN})`);
  await sql("update outline_store.process set takeover_ms = 600000 where id = 1000");
  let isAnswered = false;
  const revoking = one.accounts.revokeKey(ME, keyId).finally(() => (isAnswered = true));
  const keys = (): Promise<unknown> => sql("select from outline_store.api_key");
  await expect.poll(keys, { timeout: 60_000 }).toEqual([]);
  // Asked of the database after it was asked whether all have heard.
  for (let round = 0; round < 20; round += 1) await sql("select 1");
  expect(isAnswered).toBe(false);
  // Whoever is gone need not hear.
  await session.close();
  expect(await revoking).toBe("done");
  expect(await one.accounts.authenticate(key)).toBe(undefined);
});

test("[P100] without a word of the database a process hears of a revocation by its heartbeat", async () => {
  const two = await newProcess("two:2", 8000);
  const { key, keyId } = await newUser(two.accounts);
  const principal = await two.accounts.authenticate(key);
  const { hash } = (await two.accounts.listKeys(ME))[0] ?? {};
  const news = JSON.stringify({ keys: [{ id: keyId, hash }], sessions: [], added: [] });
  await sql(`insert into outline_store.revocation (news) values ('${news}')`);
  await expect.poll(() => principal?.end, { timeout: 60_000 }).toBe("revoked");
  const heard = "select from outline_store.process where revocation = 0";
  await expect.poll(() => sql(heard), { timeout: 60_000 }).toEqual([]);
});

test("[P100] of processes that begin at once one makes the first user and shows the key", async () => {
  const processes = [await newProcess("one:1"), await newProcess("two:2")];
  const made = await Promise.all(
    processes.map((each) => ensureFirstUser(each, undefined, undefined)),
  );
  expect(made.filter(({ newKey }) => newKey !== undefined)).toHaveLength(1);
});
