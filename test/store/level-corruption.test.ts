import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";

import { Accounts } from "../../src/accounts/accounts.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import type { LoadedOutline, OutlineLog, TailPage } from "../../src/documents/log/outline-log.ts";
import { StoreError } from "../../src/documents/log/outline-log.ts";
import type { Entry, Operation } from "../../src/store/database.ts";
import type { LevelStore } from "../../src/store/level/level-store.ts";
import { seal } from "../../src/store/record.ts";
import { StoreKeys } from "../../src/store/store-keys.ts";
import { levelFolders, recordsOf, writeRecords } from "./support/level-folder.ts";

const { newFolder, open } = levelFolders();

const DAMAGED = "0123456789ab81238abc" as OutlineId;
const HEALTHY = "0123456789ab81238abd" as OutlineId;
const TAIL = { updates: 4, bytes: 1000 };

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Twelve updates, a snapshot at 10, a tail of four, and a binding. */
async function fill(log: OutlineLog, outline: OutlineId): Promise<LoadedOutline> {
  for (let seq = 1; seq <= 12; seq += 1) {
    await log.append(outline, { updates: [bytes(`${outline} update ${seq}`)] });
  }
  await log.append(outline, {
    updates: [],
    bindings: [{ client: 65_537, holder: { kind: "bound", keyId: "key_1" } }],
  });
  await log.saveSnapshot(outline, {
    seq: 10,
    chunks: [bytes(`${outline} one`), bytes("z".repeat(500))],
    stateVector: bytes("vector"),
    annex: bytes("annex"),
  });
  return log.load(outline);
}

async function filledFolder() {
  const folder = await newFolder();
  const store = await open(folder, { tail: TAIL });
  const whole = await fill(store.log, DAMAGED);
  const healthy = await fill(store.log, HEALTHY);
  const tail = await behindNine(store.log);
  await store.close();
  const records = (await recordsOf(folder)).filter(({ key }) => key.includes(DAMAGED));
  return { folder, whole, tail, healthy, records };
}

function flipped({ key, value }: Entry, bit: number): Operation {
  const damaged = Uint8Array.from(value);
  damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return { key, value: damaged };
}

async function behindNine(log: OutlineLog): Promise<TailPage | undefined> {
  const { epoch } = await log.load(HEALTHY);
  return log.tail(DAMAGED, { epoch, after: 9, maxBytes: 10_000 });
}

/** What came of a read: all as it was, the refusal that names the outline, or nothing. */
async function outcome<T>(read: () => Promise<T | undefined>, expected: T) {
  try {
    const found = await read();
    if (found === undefined) return "not there";
    expect(found).toEqual(expected);
    return "as it was";
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    expect(error).toMatchObject({ code: "outline_corrupt", outline: DAMAGED });
    expect(error.message).toContain(DAMAGED);
    expect(error.message).toContain("backup");
    return "refused";
  }
}

const isTailOnly = (key: string) => /\/u\/0{10}0[9a]$/.test(key);

for (const [how, damage] of [
  ["flipped", (record: Entry) => flipped(record, record.value.byteLength * 8 - 3)],
  ["missing", ({ key }: Entry) => ({ key })],
  [
    "cut short",
    ({ key, value }: Entry) => ({ key, value: value.subarray(0, value.byteLength - 1) }),
  ],
  ["empty", ({ key }: Entry) => ({ key, value: new Uint8Array() })],
] as const) {
  test(`[P13] each record of an outline ${how}: refused by name or made up for, never served wrong`, async () => {
    const { folder, whole, tail, healthy, records } = await filledFolder();
    expect(records.length).toBe(11);
    for (const record of records) {
      await writeRecords(folder, [damage(record)]);
      const store = await open(folder, { tail: TAIL });
      // Without its first update a tail is only shorter, and without a holder an outline is younger:
      // the two absences that nothing can tell.
      if (how !== "missing" || !/\/(u\/0+9|b\/\w+)$/.test(record.key)) {
        // An update that the snapshot holds too is not needed.
        expect(await outcome(() => store.log.load(DAMAGED), whole)).toBe(
          isTailOnly(record.key) ? "as it was" : "refused",
        );
        const isNoneOfTail = /\/(s|c\/.*|b\/\w+|u\/0+9)$/.test(record.key);
        const isFirstOfTail = /\/u\/0+a$/.test(record.key);
        expect(await outcome(() => behindNine(store.log), tail)).toBe(
          isNoneOfTail ? "as it was" : isFirstOfTail && how === "missing" ? "not there" : "refused",
        );
        const findings = await store.verifyAll();
        expect(findings.length).toBeGreaterThan(0);
        expect(findings.every(({ outline }) => outline === DAMAGED)).toBe(true);
      }
      expect(await store.log.load(HEALTHY)).toEqual(healthy);
      await store.close();
      await writeRecords(folder, [record]);
    }
    expect(await (await open(folder)).verifyAll()).toEqual([]);
  });
}

test("[P13] a value that stands under another key is refused", async () => {
  const { folder, records } = await filledFolder();
  const [first, second] = records.filter(({ key }) => /\/u\/0+[bc]$/.test(key));
  if (first === undefined || second === undefined) throw new Error("no updates");
  await writeRecords(folder, [{ ...first, value: second.value }]);
  const store = await open(folder);
  await expect(store.log.load(DAMAGED)).rejects.toMatchObject({ code: "outline_corrupt" });
  expect(await store.verifyAll()).toEqual([
    { kind: "damaged", outline: DAMAGED, record: "update 11" },
  ]);
});

test("[P13] the refusal names the update", async () => {
  const { folder, records } = await filledFolder();
  const update = records.find(({ key }) => key.endsWith("/u/00000000000b"));
  if (update === undefined) throw new Error("no update 11");
  for (const [damage, named] of [
    [{ key: update.key }, "update 11 is missing"],
    [flipped(update, 40), "u/00000000000b is damaged"],
  ] as const) {
    await writeRecords(folder, [damage]);
    const store = await open(folder);
    await expect(store.log.load(DAMAGED)).rejects.toThrow(named);
    await store.close();
  }
});

test("[P13] nothing is appended behind a damaged head; others in the same commit are served", async () => {
  for (const damage of [(record: Entry) => flipped(record, 3), ({ key }: Entry) => ({ key })]) {
    const { folder, records } = await filledFolder();
    const head = records.find(({ key }) => key.includes("/h/"));
    if (head === undefined) throw new Error("no head");
    await writeRecords(folder, [damage(head)]);
    const store = await open(folder);
    const update = { updates: [bytes("next")] };
    const corrupt = { name: "StoreError", code: "outline_corrupt", outline: DAMAGED };
    expect(
      await Promise.allSettled([
        store.log.append(DAMAGED, update),
        store.log.append(HEALTHY, update),
        store.log.append(DAMAGED, { updates: [] }),
        store.log.extent(DAMAGED),
      ]),
    ).toMatchObject([
      { status: "rejected", reason: corrupt },
      { status: "fulfilled", value: 13 },
      { status: "rejected", reason: corrupt },
      { status: "rejected", reason: corrupt },
    ]);
    const { code, outline } = corrupt;
    await expect(store.log.load(DAMAGED)).rejects.toMatchObject({ code, outline });
  }
});

test("[P13] a damaged outline can be dropped and begun again", async () => {
  const { folder, healthy, records } = await filledFolder();
  for (const record of records) await writeRecords(folder, [flipped(record, 5)]);
  const store = await open(folder);
  expect((await store.verifyAll()).length).toBe(records.length);
  await store.log.drop(DAMAGED);
  expect(await store.verifyAll()).toEqual([]);
  expect(await store.log.append(DAMAGED, { updates: [bytes("new")] })).toBe(1);
  expect(await store.log.load(HEALTHY)).toEqual(healthy);
});

test("[P13] a damaged account record is refused, and others are served", async () => {
  const folder = await newFolder();
  const first = await open(folder);
  const accounts = (store: LevelStore) =>
    new Accounts({ store: store.accounts, now: Date.now, randomBytes, random: Math.random });
  const [me, you] = [await accounts(first).addUser("me"), await accounts(first).addUser("you")];
  if (me.kind !== "added" || you.kind !== "added") throw new Error("not added");
  await first.close();
  for (const record of (await recordsOf(folder)).filter(({ key }) => /\/[ak]\/me/.test(key))) {
    await writeRecords(folder, [flipped(record, 50)]);
    const store = await open(folder);
    await expect(accounts(store).authenticate(me.key)).rejects.toMatchObject({
      name: "StoreError",
      code: "store_corrupt",
    });
    expect(await accounts(store).authenticate(you.key)).toMatchObject({ user: "you" });
    expect(await store.verifyAll()).toEqual([{ kind: "damaged", record: "account" }]);
    await store.close();
    await writeRecords(folder, [record]);
  }
});

test("[P20] verification tells gaps, missing parts and strays", async () => {
  const { folder, records } = await filledFolder();
  const keys = new StoreKeys(0);
  const found = async (operations: readonly Operation[]) => {
    await writeRecords(folder, operations);
    const store = await open(folder);
    const findings = await store.verifyAll();
    await store.close();
    await writeRecords(folder, [...operations.map(({ key }) => ({ key })), ...records]);
    return findings.map(({ kind, record }) => `${kind}: ${record}`);
  };
  const stray = (key: string) => ({ key, value: seal(key, bytes("x")) });
  expect(await found([])).toEqual([]);
  expect(await found([10, 11, 12].map((seq) => ({ key: keys.update(DAMAGED, seq) })))).toEqual([
    "missing: updates 10 to 12",
  ]);
  expect(await found([{ key: keys.update(DAMAGED, 11) }])).toEqual(["missing: update 11"]);
  expect(await found([{ key: keys.part(DAMAGED, 10, 2) }])).toEqual([
    "missing: part 2 of the snapshot at 10",
  ]);
  expect(await found([{ key: keys.snapshot(DAMAGED) }])).toEqual([
    "stray: part 0 of the snapshot at 10",
    "stray: part 1 of the snapshot at 10",
    "stray: part 2 of the snapshot at 10",
    "stray: part 3 of the snapshot at 10",
    "missing: updates 1 to 8",
  ]);
  expect(await found([stray(keys.update(DAMAGED, 13))])).toEqual([
    "stray: updates behind the head 12",
  ]);
  expect(await found([stray(`0000/o/${DAMAGED}/z`)])).toEqual(["stray: a record of no known kind"]);
});
