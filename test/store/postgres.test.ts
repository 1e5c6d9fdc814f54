import { randomBytes } from "node:crypto";
import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import type { KeyRecord, User, UserId } from "../../src/accounts/account-store.ts";
import { hashOfKey } from "../../src/accounts/api-key.ts";
import { newOutlineId, type OutlineId, ROOT } from "../../src/core/node-key.ts";
import { Documents } from "../../src/documents/documents.ts";
import type { ClientHolder } from "../../src/documents/log/outline-log.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { SqlPool } from "../../src/store/postgres/sql-pool.ts";
import { SqlSession } from "../../src/store/postgres/sql-session.ts";
import { REPAIR_COMMAND } from "../../src/commands/repair-command.ts";
import { runCommand } from "../../src/commands/run-command.ts";
import { TIMERS } from "../../src/open-service.ts";
import { wholePostgresStore } from "../../src/whole-store.ts";
import { PATIENT } from "../support/postgres/postgres-server.ts";
import { DATABASE, usePostgres } from "../support/postgres/use-postgres.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const postgres = usePostgres();
const { sql, open: openStore } = postgres;

/** Ends the connection that shows that a process is there, as the end of the process does. */
async function hangUp(): Promise<void> {
  await sql(`select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`);
}

/** Resolves when a store has found out that it may not serve any more. */
function lapseOf(store: PostgresStore): Promise<void> {
  return new Promise((resolve) => void store.onLapse(resolve));
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const anOutline = (): OutlineId => newOutlineId(Math.random);

async function textsOf({ log }: PostgresStore, outline: OutlineId): Promise<readonly string[]> {
  const { updates } = await log.load(outline);
  return updates.map(({ update }) => new TextDecoder().decode(update));
}

test("[P90] what only a store in a folder can do is refused with a sentence", async () => {
  const whole = wholePostgresStore(await openStore());
  const folder = "anywhere";
  expect(await whole.backup({ folder }, {})).toMatchObject({ kind: "refused" });
  expect(await whole.restore({ folder }, {})).toMatchObject({ kind: "refused" });
  const findings: unknown[] = [];
  const onItem = (finding: unknown): void => void findings.push(finding);
  expect(await whole.verify({}, { onItem })).toEqual({ kind: "done" });
  expect(findings).toEqual([]);
  const err = new PassThrough().setEncoding("utf8");
  const code = await runCommand([REPAIR_COMMAND], {
    arguments: ["repair"],
    environment: { OUTLINE_STORE: postgres.server.urlOf(DATABASE) },
    version: "0",
    now: Date.now,
    openChannel: () => Promise.reject(new Error("not asked for")),
    out: new PassThrough(),
    err,
  });
  expect([code, err.read()]).toEqual([1, expect.stringContaining("PostgreSQL")]);
});

test("[P91] a database has one process; a second one is refused, and comes in when the first has ended", async () => {
  const first = await openStore();
  const outline = anOutline();
  await first.log.append(outline, { updates: [bytes("a")] });
  await expect(openStore()).rejects.toMatchObject({ code: "store_locked" });
  await first.close();
  const second = await openStore();
  expect(await textsOf(second, outline)).toEqual(["a"]);
});

test("[P91] [P92] a process that was cut off serves nothing, and can't write behind the next one", async () => {
  const first = await openStore();
  const outline = anOutline();
  const term = await first.log.claim(outline);
  const { epoch } = await first.log.load(outline);
  await first.log.append(outline, { updates: [bytes("a")], epoch, term });
  const lapse = lapseOf(first);
  await hangUp();
  await lapse;
  expect(first.holds()).toBe(false);
  const refused = { name: "StoreError", code: "store_unavailable" };
  await expect(first.log.load(outline)).rejects.toMatchObject(refused);
  await expect(first.accounts.users()).rejects.toMatchObject(refused);
  const late = first.log.append(outline, { updates: [bytes("lost")], epoch, term });
  await expect(late).rejects.toMatchObject(refused);
  await first.close();
  const second = await openStore();
  expect(await textsOf(second, outline)).toEqual(["a"]);
});

test("[P92] a process that was cut off for a moment goes on by itself, from what the log has", async () => {
  const recovered: string[] = [];
  const store = await openStore({ events: { onRecovery: () => recovered.push("recovered") } });
  const outline = anOutline();
  const documents = new Documents({
    log: store.log,
    now: Date.now,
    random: Math.random,
    timers: TIMERS,
    holds: () => store.holds(),
  });
  store.onLapse(() => documents.evictAll("another process may serve it", false));
  const { document } = await documents.open(outline);
  await document.write((edited) => edited.create({ parent: ROOT, name: "a" }));
  const told: string[] = [];
  documents.subscribe(outline, {
    onDurable: () => undefined,
    onLost: (reason) => told.push(reason),
  });
  const lapse = lapseOf(store);
  await hangUp();
  await lapse;
  expect(told).toEqual(["another process may serve it"]);
  expect(documents.peek(outline)).toBe(undefined);
  await expect.poll(() => recovered, { timeout: 60_000 }).toEqual(["recovered"]);
  expect(store.holds()).toBe(true);
  const count = await documents.use(outline, (opened) =>
    opened.read((read) => read.childKeys(ROOT).length),
  );
  expect(count).toBe(1);
  await documents.close();
});

test("[P93] what was loaded before another claim can't write any more, and the others of its commit can", async () => {
  const { log } = await openStore();
  const [outline, other] = [anOutline(), anOutline()];
  const term = await log.claim(outline);
  const { epoch } = await log.load(outline);
  expect(await log.append(outline, { updates: [bytes("a"), bytes("b")], epoch, term })).toBe(2);
  const next = await log.claim(outline);
  expect(next).toBeGreaterThan(term);
  const answers = await Promise.allSettled([
    log.append(outline, { updates: [bytes("old")], epoch, term }),
    log.append(other, { updates: [bytes("x")] }),
    log.append(outline, { updates: [bytes("c")], epoch, term: next }),
  ]);
  const refused = { status: "rejected", reason: { code: "not_owner", outline } };
  expect(answers).toMatchObject([refused, { value: 1 }, { value: 3 }]);
  const vector = bytes("vector");
  const snapshot = { seq: 3, chunks: [bytes("state")], stateVector: vector, annex: vector };
  await expect(log.saveSnapshot(outline, snapshot, { epoch, term })).rejects.toMatchObject({
    code: "not_owner",
  });
  const loaded = await log.load(outline);
  expect(loaded.updates.map(({ update }) => new TextDecoder().decode(update))).toEqual([
    "a",
    "b",
    "c",
  ]);
  expect(loaded.snapshot).toBe(undefined);
  expect(await log.saveSnapshot(outline, snapshot, { epoch, term: next })).toBe(true);
});

test("[P93] a replica that was claimed away is let go, and the next one goes on", async () => {
  const { log } = await openStore();
  const outline = anOutline();
  const ports = { log, now: Date.now, random: Math.random, timers: TIMERS };
  const documents = new Documents(ports);
  const told: string[] = [];
  documents.subscribe(outline, {
    onDurable: () => undefined,
    onLost: (reason) => told.push(reason),
  });
  await documents.use(outline, (first) =>
    first.write((edited) => edited.create({ parent: ROOT, name: "a" })),
  );
  await log.claim(outline);
  const late = documents.use(outline, (first) =>
    first.write((edited) => edited.create({ parent: ROOT, name: "refused" })),
  );
  await expect(late).rejects.toMatchObject({ name: "NotOwnerError", code: "unavailable" });
  expect(told).toEqual(["another process may serve it"]);
  expect(documents.stats().isStoreWorking).toBe(true);
  await documents.use(outline, async (second) => {
    expect(await second.read((read) => read.childKeys(ROOT).length)).toBe(1);
    await second.write((edited) => edited.create({ parent: ROOT, name: "b" }));
  });
  await documents.close();
});

test("[P94] any text is stored as it is", async () => {
  const first = await openStore();
  const odd = "\0 \ud800 \udfff 😀 ' \\ \" $1 {}";
  const outline = anOutline();
  const user: User = { id: "me" as UserId, outline, createdAt: 1 };
  const key: KeyRecord = {
    id: odd,
    user: user.id,
    hash: hashOfKey("a"),
    name: odd.repeat(500),
    scope: "write",
    root: undefined,
    maker: odd,
    createdAt: 1,
    lastUsedAt: undefined,
    expiresAt: 253_402_300_799,
  };
  expect(await first.accounts.addUser(user, key)).toBe(true);
  const holder: ClientHolder = { kind: "bound", keyId: odd };
  await first.log.append(outline, { updates: [bytes(odd)], bindings: [{ client: 7, holder }] });
  for (const name of ["\ud800", "\ud801"]) expect(await first.log.takeToken(name, 60_000)).toBe(0);
  for (const id of ["\0", odd, "", "x".repeat(5000)] as UserId[]) {
    expect(await first.accounts.user(id)).toBe(undefined);
    expect(await first.accounts.keysOf(id)).toEqual([]);
    expect(await first.accounts.keyByHash(id)).toBe(undefined);
  }
  await first.close();
  const second = await openStore();
  expect(await second.accounts.keysOf(user.id)).toEqual([key]);
  expect((await second.log.load(outline)).bindings).toEqual(new Map([[7, holder]]));
});

test("[P95] what can't be used is refused with a sentence", async () => {
  const urls = [
    postgres.server.urlOf("no_such_database"),
    "postgres://outline@127.0.0.1:1/postgres",
  ];
  for (const url of urls) {
    const opening = PostgresStore.open(url, { now: Date.now, randomBytes });
    await expect(opening).rejects.toMatchObject({ code: "store_unavailable" });
  }
  await (await openStore()).close();
  await sql("update outline_store.meta set format = 1000, oldest = 1000");
  await expect(openStore()).rejects.toMatchObject({ code: "store_corrupt" });
  expect(await sql("select format from outline_store.meta")).toEqual([{ format: 1000 }]);
});

test("[P95] a database that may lose what it confirms is refused", async () => {
  const set = async (setting: string, value: string): Promise<void> => {
    await sql(`alter system set ${setting} = ${value}`);
    await sql("select pg_reload_conf()");
    const shown = async (): Promise<unknown> => (await sql(`show ${setting}`))[0]?.[setting];
    await expect.poll(shown, { timeout: 60_000 }).toBe(value);
  };
  const unsafe = [
    ["fsync", "off"],
    ["full_page_writes", "off"],
    ["synchronous_commit", "off"],
    ["synchronous_commit", "local"],
    ["synchronous_commit", "remote_write"],
  ] as const;
  for (const [setting, value] of unsafe) {
    await set(setting, value);
    await expect(openStore()).rejects.toThrow(`${setting} is ${value}`);
    await set(setting, "on");
  }
});

test("[P96] a database of another history begins a new epoch, once", async () => {
  const first = await openStore();
  const outline = anOutline();
  await first.log.append(outline, { updates: [bytes("a")] });
  const before = await first.log.load(outline);
  await first.close();
  await sql("update outline_store.meta set origin = 'a standby that has taken over'");
  const second = await openStore();
  const after = await second.log.load(outline);
  expect(after.epochOrdinal).toBe(before.epochOrdinal + 1);
  expect(after.epoch).not.toBe(before.epoch);
  await second.close();
  const third = await openStore();
  expect(await third.log.load(outline)).toMatchObject({ epoch: after.epoch, head: 1 });
});

test("[P92, P97] when the database is killed nothing more is acknowledged, and it goes on by itself, without a wait for its own lease", async () => {
  const store = await openStore();
  const outline = anOutline();
  await store.log.append(outline, { updates: [bytes("a")] });
  const lapse = lapseOf(store);
  await postgres.server.kill();
  await lapse;
  const failing = store.log.append(outline, { updates: [bytes("b")] });
  await expect(failing).rejects.toMatchObject({ code: "store_unavailable" });
  await expect(store.log.probe()).rejects.toMatchObject({ code: "store_unavailable" });
  await postgres.server.begin();
  const works = async (): Promise<boolean> =>
    store.log.probe().then(
      () => true,
      () => false,
    );
  // Its lease, as the database knows it, is longer.
  await expect.poll(works, { timeout: 60_000 }).toBe(true);
  expect(await store.log.append(outline, { updates: [bytes("c")] })).toBe(2);
  expect(await textsOf(store, outline)).toEqual(["a", "c"]);
});

test("[P97] a commit that the database refuses is told, and the next one is not refused for it", async () => {
  const failures: string[] = [];
  const store = await openStore({ events: { onFailure: ({ code }) => failures.push(code) } });
  const outline = anOutline();
  await store.log.append(outline, { updates: [bytes("a")] });
  await sql("alter table outline_store.entry add constraint nothing check (false) not valid");
  const refused = store.log.append(outline, { updates: [bytes("b")] });
  await expect(refused).rejects.toMatchObject({ code: "store_unavailable" });
  expect(failures).toEqual(["store_unavailable"]);
  await sql("alter table outline_store.entry drop constraint nothing");
  expect(await store.log.append(outline, { updates: [bytes("c")] })).toBe(2);
  expect(failures).toHaveLength(1);
});

test("[P97] a database that refuses commits, and else works, counts as failing until it takes one as large, of which nothing stays", async () => {
  const store = await openStore();
  const outline = anOutline();
  const large = { updates: [new Uint8Array(100_000)] };
  await store.log.append(outline, { updates: [bytes("a")] });
  const unavailable = { code: "store_unavailable" };
  for (const table of ["entry", "outline"]) {
    const nothing = table === "entry" ? "length(data) < 50000" : "false";
    await sql(
      `alter table outline_store.${table} add constraint nothing check (${nothing}) not valid`,
    );
    await expect(store.log.append(outline, large)).rejects.toMatchObject(unavailable);
    await expect(store.log.probe()).rejects.toMatchObject(unavailable);
    await expect(store.log.probe()).rejects.toMatchObject(unavailable);
    await sql(`alter table outline_store.${table} drop constraint nothing`);
    await store.log.probe();
  }
  const [left] = await sql(`select (select count(*)::int from outline_store.outline) as outlines,
    (select count(*)::int from outline_store.entry) as entries`);
  expect(left).toEqual({ outlines: 1, entries: 1 });
  // What it would refuse of one outline alone keeps nobody from the others.
  const ofOther = `outline <> decode('${outline}', 'hex')`;
  await sql(`alter table outline_store.entry add constraint nothing check (${ofOther}) not valid`);
  await expect(store.log.append(outline, large)).rejects.toMatchObject(unavailable);
  await store.log.probe();
});

test("[P97] a connection that the database has ended while nothing was under way refuses nobody", async () => {
  const store = await openStore();
  const outline = anOutline();
  await store.log.append(outline, { updates: [bytes("a")] });
  const ofAppends = "from pg_stat_activity where query like 'with asked as%'";
  expect(await sql(`select pg_terminate_backend(pid, 60000) as ended ${ofAppends}`)).toEqual([
    { ended: true },
  ]);
  expect(await store.log.append(outline, { updates: [bytes("b")] })).toBe(2);
});

test("[P95] a pooler that shares connections between statements is found out", async () => {
  const url = postgres.server.urlOf(DATABASE);
  const shared = SqlSession.open({ ...PATIENT, silenceMs: PATIENT.answerMs, url });
  const open = vi.spyOn(SqlSession, "open").mockReturnValue(shared);
  onTestFinished(() => open.mockRestore());
  await expect(openStore()).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringContaining("pool_mode"),
  });
});

test.each(["read committed", "repeatable read", "serializable"])(
  "[P95] what a database has as its isolation counts for nothing: %s",
  async (isolation) => {
    await sql(`alter database ${DATABASE} set default_transaction_isolation = '${isolation}'`);
    onTestFinished(async () => {
      await sql(`alter database ${DATABASE} reset default_transaction_isolation`);
    });
    const store = await openStore();
    const outline = anOutline();
    const term = await store.log.claim(outline);
    const other = new pg.Client(postgres.server.urlOf(DATABASE));
    await other.connect();
    try {
      await other.query("begin");
      await other.query("update outline_store.outline set term = term");
      const claimed = store.log.claim(outline);
      const waits = "select from pg_locks where not granted";
      await expect.poll(() => sql(waits), { timeout: 60_000 }).toHaveLength(1);
      await other.query("commit");
      expect(await claimed).toBe(term + 1);
    } finally {
      await other.end();
    }
  },
);

/** A store that is served beside others over a line, where nobody but the lease gives up an answer. */
async function openOver(line: TcpProxy, leaseMs: number): Promise<PostgresStore> {
  const port = Number(new URL(line.url).port);
  return PostgresStore.open(postgres.server.urlOf(DATABASE, port), {
    now: Date.now,
    randomBytes,
    // The database keeps the lock of one that has it alone until it hangs up by itself.
    address: "one:1",
    // Whoever waits for an answer waits for longer than a test.
    limits: { ...PATIENT, connectMs: 600_000, answerMs: 600_000, leaseMs },
  });
}

test("[P92] connections that hang without a word are given up with the lease, and new ones are made", async () => {
  const line = await TcpProxy.start(postgres.server.port);
  try {
    // A busy machine may stand still for a second, which would end a shorter one before the line hangs.
    const store = await openOver(line, 3000);
    const outline = anOutline();
    await store.log.append(outline, { updates: [bytes("a")] });
    expect(await textsOf(store, outline)).toEqual(["a"]);
    const lapse = lapseOf(store);
    line.strand();
    const hanging = Promise.allSettled([
      store.log.append(outline, { updates: [bytes("lost")] }),
      store.log.load(outline),
    ]);
    await lapse;
    const refused = { status: "rejected", reason: { code: "store_unavailable" } };
    expect(await hanging).toMatchObject([refused, refused]);
    await expect.poll(() => store.holds(), { timeout: 60_000 }).toBe(true);
    expect(await store.log.append(outline, { updates: [bytes("b")] })).toBe(2);
    expect(await textsOf(store, outline)).toEqual(["a", "b"]);
    line.strand();
    await store.close();
  } finally {
    await line.stop();
  }
});

test("[P92] a connection that hangs while a process comes back is given up with the lease, too", async () => {
  const line = await TcpProxy.start(postgres.server.port);
  try {
    const store = await openOver(line, 1000);
    const lapse = lapseOf(store);
    line.strand();
    await lapse;
    // It comes back at once, and each of its tries hangs wherever it has got to.
    const stranding = setInterval(() => line.strand(), 5);
    await delay(1000);
    clearInterval(stranding);
    // One that was cut off within a statement keeps its locks until the system of the database notices.
    line.loseStranded();
    await expect.poll(() => store.holds(), { timeout: 30_000 }).toBe(true);
    await store.close();
  } finally {
    await line.stop();
  }
});

test("[P113] a transaction in which nothing is said keeps nobody out for ever", async () => {
  const url = postgres.server.urlOf(DATABASE);
  const [one, two] = [
    new SqlPool({ ...PATIENT, silenceMs: 100, url }),
    new SqlPool({ ...PATIENT, silenceMs: PATIENT.answerMs, url }),
  ];
  try {
    const lock = "select pg_advisory_xact_lock(1)";
    const silent = one.transaction("write", async (run) => {
      await run(lock);
      // Until the database has let another one in.
      await two.query(lock);
      await run(lock);
    });
    await expect(silent).rejects.toMatchObject({ code: "store_unavailable" });
    expect(await one.query("select 1 as one")).toEqual([{ one: 1 }]);
  } finally {
    await one.close();
    await two.close();
  }
});

test("[P13] a damaged record is never served, and the other outlines are", async () => {
  const store = await openStore();
  const [outline, other] = [anOutline(), anOutline()];
  for (const each of [outline, other]) {
    await store.log.append(each, { updates: [bytes("a"), bytes("b")] });
  }
  const damage = { code: "outline_corrupt", outline };
  await sql(`update outline_store.entry set data = set_byte(data, 5, 0)
    where seq = 2 and outline = decode('${outline}', 'hex')`);
  await expect(store.log.load(outline)).rejects.toMatchObject(damage);
  await sql(`delete from outline_store.entry
    where seq = 1 and outline = decode('${outline}', 'hex')`);
  await expect(store.log.load(outline)).rejects.toMatchObject(damage);
  expect(await textsOf(store, other)).toEqual(["a", "b"]);
  const findings = await store.verifyAll(() => undefined);
  expect(findings.map((finding) => finding.outline)).toEqual([outline]);
});
