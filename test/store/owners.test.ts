import { expect, test, vi } from "vitest";
import type { KeyRecord, UserId, WebhookRecord } from "../../src/accounts/account-store.ts";
import { newOutlineId, type OutlineId } from "../../src/core/node-key.ts";
import type { Term } from "../../src/documents/log/outline-log.ts";
import { LOCKS_BEGAN, PROCESS_CLASS } from "../../src/store/postgres/locks.ts";
import { SERVING } from "../../src/store/purpose.ts";
import { DEFAULT_SQL_LIMITS, SqlSession } from "../../src/store/postgres/sql-session.ts";
import type {
  PostgresStore,
  PostgresStoreOptions,
} from "../../src/store/postgres/postgres-store.ts";
import { PATIENT } from "../support/postgres/postgres-server.ts";
import { DATABASE, usePostgres } from "../support/postgres/use-postgres.ts";

const postgres = usePostgres();
const { sql, open } = postgres;

/** A process beside others; without an address one that has the database alone. */
function openStore(
  address: string | undefined,
  options: Partial<PostgresStoreOptions> = {},
): Promise<PostgresStore> {
  return open({ address, ...options });
}

const anOutline = (): OutlineId => newOutlineId(Math.random);
const update = (text: string): Uint8Array => new TextEncoder().encode(text);
const notOwner = { name: "StoreError", code: "not_owner" };

async function textsOf({ log }: PostgresStore, outline: OutlineId): Promise<readonly string[]> {
  const { updates } = await log.load(outline);
  return updates.map((each) => new TextDecoder().decode(each.update));
}

/** Appends as a replica does that was loaded with a term. */
async function append(
  { log }: PostgresStore,
  outline: OutlineId,
  [text, term]: readonly [text: string, term: Term],
): Promise<number> {
  const { epoch } = await log.extent(outline);
  return log.append(outline, { updates: [update(text)], epoch, term });
}

/** Ends the connection that shows that a process is there, as the end of the process does. */
async function hangUp(address: string): Promise<void> {
  await sql(`select pg_terminate_backend(l.pid) from pg_locks l
    join outline_store.process p on p.id = l.objid::bigint
    where l.locktype = 'advisory' and l.objsubid = 2 and l.classid::bigint = ${PROCESS_CLASS}
      and p.address = '${address}'`);
}

/** As if the process had said nothing for so long. */
async function silence(address: string, ms: number): Promise<void> {
  await sql(`update outline_store.process
    set seen_at = clock_timestamp() - interval '${ms} ms' where address = '${address}'`);
}

test("[P99] of processes that claim an outline at once one gets it", async () => {
  const stores = [await openStore("one:1"), await openStore("two:2")];
  for (let round = 0; round < 50; round += 1) {
    const outline = anOutline();
    const claims = await Promise.allSettled(stores.map(({ log }) => log.claim(outline)));
    expect(claims.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = claims.find(({ status }) => status === "rejected");
    expect(refused).toMatchObject({ reason: notOwner });
  }
});

test("[P99] what a process owned that ended is taken at once, and what it writes late is refused", async () => {
  const [one, two] = [await openStore("one:1"), await openStore("two:2")];
  const outline = anOutline();
  const term = await one.log.claim(outline);
  expect(await append(one, outline, ["a", term])).toBe(1);
  await expect(two.log.claim(outline)).rejects.toMatchObject(notOwner);
  await expect(two.log.append(outline, { updates: [update("x")] })).rejects.toMatchObject(notOwner);
  await expect(two.log.drop(outline)).rejects.toMatchObject(notOwner);
  await one.close();
  const next = await two.log.claim(outline);
  expect(next).toBeGreaterThan(term);
  expect(await append(two, outline, ["b", next])).toBe(2);
  expect(await textsOf(two, outline)).toEqual(["a", "b"]);
});

test("[P99] what a process owned whose connection ended is taken at once; it comes back as another one", async () => {
  const [one, two] = [await openStore("one:1"), await openStore("two:2")];
  const outline = anOutline();
  const term = await one.log.claim(outline);
  const lapse = new Promise<void>((resolve) => void one.onLapse(resolve));
  await hangUp("one:1");
  const claimed = (): Promise<Term> => two.log.claim(outline).catch(() => 0);
  await expect.poll(claimed, { timeout: 60_000 }).toBeGreaterThan(term);
  await lapse;
  await expect.poll(() => one.holds(), { timeout: 60_000 }).toBe(true);
  await expect(one.log.claim(outline)).rejects.toMatchObject(notOwner);
  await expect(append(one, outline, ["late", term])).rejects.toMatchObject(notOwner);
});

test("[P99] what a process owned that says nothing for so long is taken, and it can't write behind the next", async () => {
  const [one, two] = [await openStore("one:1"), await openStore("two:2")];
  const outline = anOutline();
  const term = await one.log.claim(outline);
  await append(one, outline, ["a", term]);
  await silence("one:1", 1000);
  await expect(two.log.claim(outline)).rejects.toMatchObject(notOwner);
  await silence("one:1", 150_000);
  const next = await two.log.claim(outline);
  const snapshot = {
    seq: 1,
    chunks: [update("a")],
    stateVector: update("v"),
    annex: update("x"),
  };
  const { epoch } = await one.log.extent(outline);
  const holder = { kind: "server" } as const;
  const late = await Promise.allSettled([
    append(one, outline, ["late", term]),
    one.log.append(outline, { updates: [], bindings: [{ client: 1, holder }], term }),
    one.log.saveSnapshot(outline, snapshot, { epoch, term }),
    one.log.append(outline, { updates: [update("without a term")] }),
  ]);
  expect(late).toMatchObject(late.map(() => ({ status: "rejected", reason: notOwner })));
  expect(await append(two, outline, ["b", next])).toBe(2);
  const { bindings, snapshot: kept } = await two.log.load(outline);
  expect([bindings.size, kept, await textsOf(two, outline)]).toEqual([0, undefined, ["a", "b"]]);
  // The control: where the row names it still, with its term, nothing else would refuse it.
  await sql(`update outline_store.outline set term = ${term},
    owner = (select id from outline_store.process where address = 'one:1')`);
  expect(await append(one, outline, ["late", term])).toBe(3);
});

test("[P99] after a restart of the database free locks say nothing", async () => {
  const two = await openStore("two:2");
  const outline = anOutline();
  // Of a process that has no lock on this server.
  await sql(`insert into outline_store.process (id, address, locked_in) overriding system value
    values (1000, 'one:1', ${LOCKS_BEGAN} - interval '1 s')`);
  await sql(`insert into outline_store.outline (id, term, owner)
    values (decode('${outline}', 'hex'), 1, 1000)`);
  await expect(two.log.claim(outline)).rejects.toMatchObject(notOwner);
  await silence("one:1", 150_000);
  expect(await two.log.claim(outline)).toBeGreaterThan(1);
});

test("[P99] after a crash within the database free locks say nothing either", async () => {
  const two = await openStore("two:2");
  const outline = anOutline();
  await sql(`insert into outline_store.process (id, address, locked_in, takeover_ms)
    overriding system value values (1000, 'one:1', ${LOCKS_BEGAN}, 140000)`);
  await sql(`insert into outline_store.outline (id, term, owner)
    values (decode('${outline}', 'hex'), 1, 1000)`);
  const lapse = new Promise<void>((resolve) => void two.onLapse(resolve));
  const [row] = await sql(`select pg_postmaster_start_time()::text as start, pid from pg_locks
    where locktype = 'advisory' limit 1`);
  process.kill(Number(row?.["pid"]), "SIGKILL");
  await lapse;
  await expect.poll(() => two.holds(), { timeout: 60_000 }).toBe(true);
  expect(await sql("select pg_postmaster_start_time()::text as start")).toMatchObject([
    { start: row?.["start"] },
  ]);
  await expect(two.log.claim(outline)).rejects.toMatchObject(notOwner);
  await silence("one:1", 150_000);
  expect(await two.log.claim(outline)).toBeGreaterThan(1);
});

test("[P99] a heartbeat of a clock that was ahead keeps nobody alive for longer", async () => {
  await openStore("two:2");
  const outline = anOutline();
  // As a standby has it whose clock is behind that of the server which it follows.
  await sql(`insert into outline_store.process (id, address, locked_in, seen_at, takeover_ms)
    overriding system value values (1000, 'one:1', ${LOCKS_BEGAN} - interval '1 s',
      clock_timestamp() + interval '1 hour', 500)`);
  await sql(`insert into outline_store.outline (id, term, owner)
    values (decode('${outline}', 'hex'), 1, 1000)`);
  const three = await openStore("three:3");
  const claimed = (): Promise<Term> => three.log.claim(outline).catch(() => 0);
  await expect.poll(claimed, { timeout: 60_000 }).toBeGreaterThan(1);
});

test("[P112] processes of another service are kept out of a database, and told which one it belongs to", async () => {
  const one = await openStore("one:1", { clusterName: "production" });
  const stranger = { clusterName: "staging" };
  const refusal = {
    code: "store_unavailable",
    message: expect.stringMatching(/"production".*"staging".*OUTLINE_CLUSTER_NAME/),
  };
  const processes = await sql("select * from outline_store.process");
  await expect(openStore("two:2", stranger)).rejects.toMatchObject(refusal);
  expect(await sql("select id from outline_store.process")).toHaveLength(processes.length);
  expect(one.holds()).toBe(true);
  await one.close();
  await expect(openStore("two:2", stranger)).rejects.toMatchObject(refusal);
  // A command has it alone, and needs no name.
  await (await openStore(undefined)).close();
  await openStore("three:3", { clusterName: "production" });
});

test("[P91] who needs the database alone is refused while processes serve it beside each other, and keeps them out", async () => {
  const one = await openStore("one:1");
  const locked = { code: "store_locked" };
  await expect(openStore(undefined)).rejects.toMatchObject(locked);
  for (const purpose of [{ kind: "use" }, { kind: "arrive", name: "other" }] as const) {
    await expect(openStore(undefined, { purpose })).rejects.toMatchObject(locked);
  }
  const two = await openStore("two:2");
  await one.close();
  await two.close();
  await openStore(undefined, { purpose: SERVING });
  await expect(openStore("three:3")).rejects.toMatchObject(locked);
});

test("[P96] processes that find another history begin one epoch together, and who has the one before goes", async () => {
  const one = await openStore("one:1", { limits: { ...PATIENT, leaseMs: 8000 } });
  const outline = anOutline();
  await one.log.append(outline, { updates: [update("a")] });
  const before = await one.log.load(outline);
  const lapse = new Promise<void>((resolve) => void one.onLapse(resolve));
  await sql("update outline_store.meta set origin = 'a standby that has taken over'");
  const others = await Promise.all([openStore("two:2"), openStore("three:3")]);
  const after = await Promise.all(others.map(({ log }) => log.load(outline)));
  expect(after.map(({ epochOrdinal }) => epochOrdinal)).toEqual(
    others.map(() => before.epochOrdinal + 1),
  );
  const late = one.log.append(outline, { updates: [update("late")], epoch: before.epoch });
  await expect(late).rejects.toMatchObject({ name: "StoreError" });
  await lapse;
  await expect.poll(() => one.holds(), { timeout: 60_000 }).toBe(true);
  expect(await one.log.load(outline)).toMatchObject({ epoch: after[0]?.epoch, head: 1 });
});

test("[P96] in a history that nobody has begun, who knows the one before writes nothing", async () => {
  const one = await openStore("one:1");
  const outline = anOutline();
  const term = await one.log.claim(outline);
  await append(one, outline, ["a", term]);
  const { epoch, head } = await one.log.load(outline);
  // A heartbeat would tell it nothing: owner, term and epoch are those of before.
  await sql("update outline_store.meta set origin = 'a standby that has taken over'");
  await expect(append(one, outline, ["b", term])).rejects.toMatchObject(notOwner);
  const snapshot = {
    seq: head,
    stateVector: update("s"),
    annex: update("a"),
    chunks: [update("c")],
  };
  const saved = one.log.saveSnapshot(outline, snapshot, { epoch, term });
  await expect(saved).rejects.toMatchObject(notOwner);
  expect(await sql("select head, snapshot_seq from outline_store.outline")).toEqual([
    { head: "1", snapshot_seq: "0" },
  ]);
  const two = await openStore("two:2");
  expect(await textsOf(two, outline)).toEqual(["a"]);
});

test("[P111] webhooks of an outline that another process serves are for that one to look at", async () => {
  const [one, two] = [await openStore("one:1"), await openStore("two:2")];
  const user = { id: "me" as UserId, outline: anOutline(), createdAt: 1 };
  const key: KeyRecord = {
    id: "key_1",
    user: user.id,
    hash: "1".repeat(64),
    name: "first",
    scope: "write",
    root: undefined,
    maker: undefined,
    createdAt: 1,
    lastUsedAt: undefined,
    expiresAt: undefined,
  };
  await one.accounts.addUser(user, key);
  const webhook: WebhookRecord = {
    id: "hook_1",
    user: user.id,
    outline: user.outline,
    keyId: key.id,
    keyHash: key.hash,
    name: "",
    url: "https://example.org/",
    fields: "ids",
    secret: "whsec_",
    createdAt: 1,
    revision: 0,
    cursor: "first",
  };
  await one.accounts.addWebhook(webhook, { keyId: key.id, sessionId: undefined }, 1);
  const behind = () => Promise.all([one, two].map(({ accounts }) => accounts.webhooksBehind()));
  // Nobody serves it.
  expect(await behind()).toEqual([[webhook], [webhook]]);
  const term = await one.log.claim(user.outline);
  await append(one, user.outline, ["a", term]);
  expect(await behind()).toEqual([[webhook], []]);
  await one.close();
  expect(await two.accounts.webhooksBehind()).toEqual([webhook]);
});

const PEERS = { limits: { ...PATIENT, leaseMs: 2000 } };

test("[P105] a process that has no memory for more leaves an outline to one that has", async () => {
  const [one, two] = [await openStore("one:1", PEERS), await openStore("two:2", PEERS)];
  const outlines = Array.from({ length: 20 }, anOutline);
  for (const store of [one, two]) store.places.tellLoad(() => ({ outlines: 0, isFull: false }));
  for (const outline of outlines) expect(await one.places.of(outline)).toEqual({ kind: "here" });
  one.places.tellLoad(() => ({ outlines: 20, isFull: true }));
  // When it has heard that the other one can.
  await expect
    .poll(async () => one.places.of(anOutline()), { timeout: 60_000 })
    .toMatchObject({ kind: "elsewhere", owner: { address: "two:2" } });
  expect(one.places.excess).toBeGreaterThan(0);
  // What it has it can hand over, and the other one need not ask for it.
  const [first = anOutline(), ...rest] = outlines;
  const gone: OutlineId[] = [];
  const letGo = async (outline: OutlineId): Promise<void> => void gone.push(outline);
  await one.places.release([first], letGo, one.places.nextOwnerOf(first));
  expect(await two.places.of(first)).toEqual({ kind: "here" });
  expect(await one.places.of(first)).toMatchObject({ kind: "elsewhere" });
  // What it gives back belongs to whoever asks next.
  await one.places.release(rest, letGo);
  expect(gone).toEqual(outlines);
  for (const outline of rest) expect(await two.places.of(outline)).toEqual({ kind: "here" });
});

test("[P105] a process that has ended is left nothing, however late its last heartbeat was", async () => {
  const one = await openStore("one:1", PEERS);
  await sql(`insert into outline_store.process (id, address, locked_in, is_full)
    overriding system value values (1000, 'two:2', ${LOCKS_BEGAN}, false)`);
  one.places.tellLoad(() => ({ outlines: 20, isFull: true }));
  const beats = async (): Promise<number> => {
    // It stays as young as if it had just ended.
    const [row] = await sql(`with young as (
        update outline_store.process set seen_at = clock_timestamp() where id = 1000)
      select extract(epoch from seen_at)::float8 as at from outline_store.process
      where address = 'one:1'`);
    return Number(row?.["at"]);
  };
  for (let beat = 0, last = await beats(); beat < 3; beat += 1) {
    await expect.poll(beats, { timeout: 60_000 }).toBeGreaterThan(last);
    last = await beats();
  }
  expect(one.places.excess).toBe(0);
  expect(await one.places.of(anOutline())).toEqual({ kind: "here" });
});

test("[P104] a process that is about to end takes nothing more, and others take what it gives them", async () => {
  const [one, two] = [await openStore("one:1", PEERS), await openStore("two:2", PEERS)];
  const outline = anOutline();
  two.places.tellLoad(() => ({ outlines: 0, isFull: false }));
  expect(await one.places.of(outline)).toEqual({ kind: "here" });
  one.places.tellLoad(() => ({ outlines: 1, isFull: false }));
  await one.places.leave();
  await expect.poll(() => one.places.excess, { timeout: 60_000 }).toBe(1);
  const next = one.places.nextOwnerOf(outline);
  await one.places.release([outline], async () => undefined, next);
  expect(await two.places.of(outline)).toEqual({ kind: "here" });
  expect(await one.places.of(anOutline())).toMatchObject({ kind: "elsewhere" });
});

test("[P108] tables of a later version that this one can work on are, and others are not", async () => {
  const one = await openStore("one:1");
  await sql("update outline_store.meta set format = format + 1");
  await openStore("two:2");
  await sql("update outline_store.meta set oldest = format");
  await expect(openStore("three:3")).rejects.toMatchObject({ code: "store_corrupt" });
  expect(one.holds()).toBe(true);
});

test("[P108] a start takes nothing from processes of an earlier version that serve", async () => {
  const one = await openStore("one:1");
  // As the version before left it.
  await sql("update outline_store.meta set format = 4");
  await sql("alter table outline_store.meta drop column oldest");
  const before = await sql("select * from outline_store.meta");
  await expect(openStore("two:2")).rejects.toMatchObject({ code: "store_locked" });
  expect(await sql("select * from outline_store.meta")).toEqual(before);
  await one.close();
  await sql("alter table outline_store.process drop column outlines, drop column is_full");
  await sql("drop table outline_store.webhook");
  await sql("alter table outline_store.meta drop column cluster");
  const two = await openStore("two:2");
  expect(two.holds()).toBe(true);
});

test("[P114] a start that changes tables gives way to who uses them", async () => {
  const one = await openStore("one:1");
  await one.close();
  await sql("update outline_store.meta set format = 4");
  await sql("alter table outline_store.meta drop column oldest, drop column cluster");
  await sql("alter table outline_store.process drop column outlines, drop column is_full");
  await sql("drop table outline_store.webhook");
  const url = postgres.server.urlOf(DATABASE);
  const user = await SqlSession.open({ ...DEFAULT_SQL_LIMITS, url, silenceMs: 60_000 });
  await user.query("begin");
  await user.query("lock table outline_store.meta in access share mode");
  const start = openStore("two:2");
  // The start has the table of processes by then, and waits for the other one.
  await vi.waitFor(async () => {
    expect(await sql("select from pg_locks where not granted")).not.toEqual([]);
  }, 30_000);
  await user.query("lock table outline_store.process in access share mode");
  await user.query("commit");
  await user.close();
  expect((await start).holds()).toBe(true);
});
