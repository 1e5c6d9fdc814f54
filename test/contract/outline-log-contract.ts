import { describe, expect, test } from "vitest";

import type { OutlineId } from "../../src/core/node-key.ts";
import type {
  ClientHolder,
  LoadedOutline,
  OutlineLog,
  ReceiptPlace,
  Seq,
  Snapshot,
} from "../../src/documents/log/outline-log.ts";
import { storesOf } from "./open-stores.ts";
import type { StoreDriver } from "./store-driver.ts";
import { anOutline } from "./store-driver.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (update: Uint8Array): string => new TextDecoder().decode(update);

function snapshotAt(seq: Seq, mark = "state"): Snapshot {
  return {
    seq,
    chunks: [bytes(`${mark} one`), bytes(`${mark} two`)],
    stateVector: bytes(`${mark} vector`),
    annex: bytes(`${mark} annex`),
  };
}

/** What a load answers, with updates as text and without the name of the epoch. */
function read({ updates, head, snapshot, bindings }: LoadedOutline) {
  return {
    head,
    ...(snapshot === undefined ? {} : { snapshot }),
    updates: updates.map(({ seq, update }) => [seq, text(update)]),
    bindings: [...bindings],
  };
}

const NO_END = 2 ** 30;

/** What a log gives behind a number; undefined when it does not reach back so far. */
async function behind(log: OutlineLog, outline: OutlineId, after: Seq, maxBytes = NO_END) {
  const { epoch } = await log.extent(outline);
  const page = await log.tail(outline, { epoch, after, maxBytes });
  return page && { head: page.head, updates: page.updates.map(text) };
}

async function listed(log: OutlineLog): Promise<readonly OutlineId[]> {
  const outlines: OutlineId[] = [];
  for await (const outline of log.outlines()) outlines.push(outline);
  return outlines;
}

async function appendAll(log: OutlineLog, outline: OutlineId, texts: readonly string[]) {
  for (const each of texts) await log.append(outline, { updates: [bytes(each)] });
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Every rule of the port that a test can show on any driver. */
export function outlineLogContract(driver: StoreDriver): void {
  describe(`outline log: ${driver.name}`, () => {
    const openStore = storesOf(driver);

    test("[P2] updates are numbered 1, 2, 3 and read back in that order", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      expect(await log.append(outline, { updates: [bytes("a")] })).toBe(1);
      expect(await log.append(outline, { updates: [bytes("b"), bytes("c")] })).toBe(3);
      expect(read(await log.load(outline))).toEqual({
        head: 3,
        updates: [
          [1, "a"],
          [2, "b"],
          [3, "c"],
        ],
        bindings: [],
      });
    });

    test("[P2] an append of nothing answers the head and makes no outline", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      expect(await log.append(outline, { updates: [] })).toBe(0);
      expect(await listed(log)).toEqual([]);
      await appendAll(log, outline, ["a"]);
      expect(await log.append(outline, { updates: [] })).toBe(1);
    });

    test("[P2] numbers have no gaps when many append at once, and follow the order of the calls", async () => {
      const { log } = await openStore();
      const outlines = [anOutline(), anOutline(), anOutline()];
      const appends: { outline: OutlineId; label: string; size: number; seq: Promise<Seq> }[] = [];
      const answered: string[] = [];
      for (const index of range(1, 600)) {
        const outline = outlines[index % 3] ?? anOutline();
        const size = 1 + (index % 4);
        const updates = range(1, size).map((part) => bytes(`${index}.${part}`));
        const seq = log.append(outline, { updates });
        void seq.then(() => answered.push(`${index}`));
        appends.push({ outline, label: `${index}`, size, seq });
        // Some arrive while a commit is under way, some before one has begun.
        if (index % 50 === 0) await seq;
      }
      await Promise.all(appends.map(({ seq }) => seq));
      expect(answered).toEqual(appends.map(({ label }) => label));
      for (const outline of outlines) {
        const own = appends.filter((append) => append.outline === outline);
        let head = 0;
        for (const { size, seq } of own) {
          head += size;
          expect(await seq).toBe(head);
        }
        const expected = own.flatMap(({ label, size }) =>
          range(1, size).map((part) => `${label}.${part}`),
        );
        const loaded = read(await log.load(outline));
        expect(loaded.updates).toEqual(expected.map((update, index) => [index + 1, update]));
      }
    });

    test("[P2] updates of any bytes and size come back as they were", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      const large = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 251);
      const all = Uint8Array.from({ length: 256 }, (_, index) => index);
      await log.append(outline, { updates: [new Uint8Array(), all, large] });
      const { updates } = await log.load(outline);
      expect(updates.map(({ update }) => update.byteLength)).toEqual([0, 256, 3_000_000]);
      expect(updates[1]?.update).toEqual(all);
      expect(Buffer.compare(updates[2]?.update ?? all, large)).toBe(0);
    });

    test("[P1] what was acknowledged is there after a restart, and numbers go on", async () => {
      const first = await openStore();
      const outline = anOutline();
      await appendAll(first.log, outline, ["a", "b"]);
      const { epoch, epochOrdinal } = await first.log.load(outline);
      const { log } = await first.restart();
      expect(await log.load(outline)).toMatchObject({ epoch, epochOrdinal, head: 2 });
      expect(await log.append(outline, { updates: [bytes("c")] })).toBe(3);
      expect(read(await log.load(outline)).updates).toEqual([
        [1, "a"],
        [2, "b"],
        [3, "c"],
      ]);
    });

    test("[P7] client bindings become durable with the updates of their append", async () => {
      const first = await openStore();
      const outline = anOutline();
      const holders: readonly ClientHolder[] = [
        { kind: "server" },
        { kind: "lease", keyId: "key_1" },
        { kind: "bound", keyId: "key_2" },
      ];
      const clients = [1, 65_536, 2 ** 53 - 1];
      await first.log.append(outline, { updates: [bytes("a")] });
      const seq = await first.log.append(outline, {
        updates: [bytes("b")],
        bindings: holders.map((holder, index) => ({ client: clients[index] ?? 0, holder })),
      });
      expect(seq).toBe(2);
      const { log } = await first.restart();
      const { bindings } = await log.load(outline);
      expect(bindings).toEqual(new Map(holders.map((holder, index) => [clients[index], holder])));
    });

    test("[P7] receipts come and go with the updates of an append, oldest first", async () => {
      const first = await openStore();
      const outline = anOutline();
      const receipt = (digit: string, at: number, says: string) => {
        const answer = bytes(says);
        return { id: digit.repeat(32), at, bytes: answer.byteLength, answer };
      };
      const [old, late, last] = [
        receipt("f", 5, "old"),
        receipt("a", 6, "late"),
        receipt("0", 7, ""),
      ];
      const none = { added: [], removed: [] };
      expect(await first.log.append(outline, { updates: [], receipts: none })).toBe(0);
      expect(await listed(first.log)).toEqual([]);
      expect(await first.log.receipts(outline)).toEqual([]);
      const append = { updates: [], receipts: { ...none, added: [late, old] } };
      expect(await first.log.append(outline, append)).toBe(0);
      expect(await listed(first.log)).toEqual([outline]);
      const seq = await first.log.append(outline, {
        updates: [bytes("a")],
        receipts: { added: [last], removed: [old] },
      });
      expect(seq).toBe(1);
      const { log } = await first.restart();
      const places = await log.receipts(outline);
      expect(places).toEqual(
        [late, last].map(({ id, at, bytes: size }) => ({ id, at, bytes: size })),
      );
      const says = async (place: ReceiptPlace) => {
        const answer = await log.receipt(outline, place);
        return answer && text(answer);
      };
      expect([await says(late), await says(last), await says(old)]).toEqual([
        "late",
        "",
        undefined,
      ]);
      expect(read(await log.load(outline)).updates).toEqual([[1, "a"]]);
      await log.drop(outline);
      expect([await log.receipts(outline), await says(late)]).toEqual([[], undefined]);
    });

    test("[P7] what has changed comes and goes with the updates of an append, in order", async () => {
      const first = await openStore();
      const outline = anOutline();
      const record = (last: number, says: string) => ({ last, data: bytes(says) });
      const told = async (log: OutlineLog, after: number, maxBytes = NO_END) =>
        (await log.changes(outline, after, maxBytes)).map(({ last, data }) => [last, text(data)]);
      expect(await told(first.log, 0)).toEqual([]);
      expect((await first.log.load(outline)).lastChange).toBe(0);
      const added = [record(3, "abc"), record(4, "d"), record(70_000, "many")];
      await first.log.append(outline, {
        updates: [bytes("a")],
        changes: { added, removed: [] },
      });
      await first.log.append(outline, {
        updates: [bytes("b")],
        changes: { added: [record(70_001, "last")], removed: [3] },
      });
      const { log } = await first.restart();
      expect((await log.load(outline)).lastChange).toBe(70_001);
      expect(await told(log, 0)).toEqual([
        [4, "d"],
        [70_000, "many"],
        [70_001, "last"],
      ]);
      expect(await told(log, 4, 5)).toEqual([[70_000, "many"]]);
      expect(await told(log, 4, 1)).toEqual([[70_000, "many"]]);
      expect(await told(log, 70_001)).toEqual([]);
      const { epoch } = await log.extent(outline);
      const fenced = { updates: [bytes("c")], changes: { added: [record(9, "")], removed: [4] } };
      await expect(log.append(outline, { ...fenced, epoch: `not ${epoch}` })).rejects.toMatchObject(
        { code: "store_unavailable" },
      );
      expect((await told(log, 0)).length).toBe(3);
      await log.drop(outline);
      expect([await told(log, 0), (await log.load(outline)).lastChange]).toEqual([[], 0]);
    });

    test("[P7] bindings alone need no update, and make the outline known", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      const bindings = [{ client: 7, holder: { kind: "server" } }] as const;
      expect(await log.append(outline, { updates: [], bindings })).toBe(0);
      expect(read(await log.load(outline))).toEqual({
        head: 0,
        updates: [],
        bindings: [[7, { kind: "server" }]],
      });
      expect(await listed(log)).toEqual([outline]);
      expect(await log.append(outline, { updates: [bytes("a")] })).toBe(1);
    });

    test("[P4] an unknown outline is empty with head 0", async () => {
      const { log } = await openStore();
      const loaded = await log.load(anOutline());
      expect(read(loaded)).toEqual({ head: 0, updates: [], bindings: [] });
      expect(loaded).toMatchObject({ epoch: expect.any(String), epochOrdinal: 0 });
    });

    test("[P4] behind a number there is what follows it, in pages", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      await appendAll(log, outline, ["a", "bb", "ccc", "d"]);
      expect(await behind(log, outline, 1)).toEqual({ head: 4, updates: ["bb", "ccc", "d"] });
      expect(await behind(log, outline, 0)).toEqual({ head: 4, updates: ["a", "bb", "ccc", "d"] });
      expect(await behind(log, outline, 4)).toEqual({ head: 4, updates: [] });
      expect(await behind(log, outline, 0, 3)).toEqual({ head: 4, updates: ["a", "bb"] });
      expect(await behind(log, outline, 2, 1)).toEqual({ head: 4, updates: ["ccc"] });
    });

    test("[P4] behind a number that the log has not reached, or of another epoch, there is nothing", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      expect(await behind(log, outline, 0)).toEqual({ head: 0, updates: [] });
      expect(await behind(log, outline, 1)).toBe(undefined);
      await appendAll(log, outline, ["a", "b"]);
      expect(await behind(log, outline, 3)).toBe(undefined);
      const range = { epoch: "another", after: 1, maxBytes: NO_END };
      expect(await log.tail(outline, range)).toBe(undefined);
    });

    test("[P4] what is stored is told without reading it, and read chunk by chunk", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      const { epoch } = await log.load(outline);
      expect(await log.extent(outline)).toEqual({ head: 0, epoch });
      await appendAll(log, outline, ["a", "b", "c"]);
      expect(await log.extent(outline)).toEqual({ head: 3, epoch });
      await log.saveSnapshot(outline, snapshotAt(2, "first"));
      expect(await log.extent(outline)).toEqual({
        head: 3,
        epoch,
        snapshot: { seq: 2, chunks: 2 },
      });
      const place = { epoch, seq: 2, index: 1 };
      expect(await log.chunk(outline, place)).toEqual(bytes("first two"));
      expect(await log.chunk(outline, { ...place, index: 2 })).toBe(undefined);
      const { stateVector } = snapshotAt(2, "first");
      expect(await log.chunk(outline, { ...place, index: "state_vector" })).toEqual(stateVector);
      expect(await log.chunk(outline, { ...place, epoch: "another" })).toBe(undefined);
      await log.saveSnapshot(outline, snapshotAt(3, "second"));
      expect(await log.chunk(outline, place)).toBe(undefined);
      expect(await log.chunk(outline, { ...place, seq: 3 })).toEqual(bytes("second two"));
    });

    test("[P7] it is told without a load whether anybody but the server has a client id", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      expect(await log.hasDevices(outline)).toBe(false);
      const servers = Array.from({ length: 700 }, (_, client) => client + 1);
      const bindings = servers.map((client) => ({ client, holder: { kind: "server" } as const }));
      await log.append(outline, { updates: [bytes("a")], bindings });
      expect(await log.hasDevices(outline)).toBe(false);
      const holder = { kind: "bound", keyId: "key" } as const;
      for (const client of [0, 2 ** 32 - 1]) {
        const noted = anOutline();
        await log.append(noted, { updates: [], bindings: [...bindings, { client, holder }] });
        expect(await log.hasDevices(noted)).toBe(true);
        await log.drop(noted);
        expect(await log.hasDevices(noted)).toBe(false);
      }
    });

    test("[P4] a load says whenever it has read another part", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      await appendAll(log, outline, ["a"]);
      await log.saveSnapshot(outline, snapshotAt(1));
      await appendAll(log, outline, ["behind"]);
      const parts: number[] = [];
      const { snapshot } = await log.load(outline, (length) => parts.push(length));
      const chunks = (snapshot?.chunks ?? []).map(({ byteLength }) => byteLength);
      expect(parts).toEqual(expect.arrayContaining([...chunks, "behind".length]));
      const end = new Error("that is enough");
      const giveUp = (): never => {
        throw end;
      };
      await expect(log.load(outline, giveUp)).rejects.toBe(end);
    });

    test("[P4] the memory of a snapshot is told with how much is stored, where it is noted", async () => {
      const first = await openStore();
      const [noted, plain] = [anOutline(), anOutline()];
      for (const outline of [noted, plain]) await appendAll(first.log, outline, ["a", "b"]);
      const snapshot = { ...snapshotAt(1), memoryBytes: 2 ** 40 + 1 };
      await first.log.saveSnapshot(noted, snapshot);
      await first.log.saveSnapshot(plain, snapshotAt(1));
      const { log } = await first.restart();
      expect((await log.extent(noted)).snapshot).toEqual({
        seq: 1,
        chunks: 2,
        memoryBytes: 2 ** 40 + 1,
      });
      expect((await log.extent(plain)).snapshot).toEqual({ seq: 1, chunks: 2 });
      expect((await log.load(noted)).snapshot).toEqual(snapshot);
    });

    test("[P5] a load begins with the snapshot and goes on behind it", async () => {
      const first = await openStore();
      const outline = anOutline();
      await appendAll(first.log, outline, ["a", "b", "c"]);
      expect(await first.log.saveSnapshot(outline, snapshotAt(2))).toBe(true);
      const expected = { head: 3, snapshot: snapshotAt(2), updates: [[3, "c"]], bindings: [] };
      expect(read(await first.log.load(outline))).toEqual(expected);
      const { log } = await first.restart();
      expect(read(await log.load(outline))).toEqual(expected);
    });

    test("[P5] a snapshot only goes forward", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      await appendAll(log, outline, ["a", "b", "c"]);
      expect(await log.saveSnapshot(outline, snapshotAt(2, "first"))).toBe(true);
      expect(await log.saveSnapshot(outline, snapshotAt(2, "equal"))).toBe(false);
      expect(await log.saveSnapshot(outline, snapshotAt(1, "older"))).toBe(false);
      expect((await log.load(outline)).snapshot).toEqual(snapshotAt(2, "first"));
      expect(await log.saveSnapshot(outline, snapshotAt(3, "newer"))).toBe(true);
      expect((await log.load(outline)).snapshot).toEqual(snapshotAt(3, "newer"));
    });

    test("[P5] of snapshots that are saved at once the newest stays, whole", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      await appendAll(log, outline, ["a", "b", "c", "d"]);
      const saved = await Promise.all(
        [2, 4, 3, 4].map((seq) => log.saveSnapshot(outline, snapshotAt(seq, `at ${seq}`))),
      );
      expect(saved).toEqual([true, true, false, false]);
      expect((await log.load(outline)).snapshot).toEqual(snapshotAt(4, "at 4"));
    });

    test("[P5] a snapshot of updates that are not there is refused", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      await appendAll(log, outline, ["a"]);
      for (const seq of [2, 0, -1, 0.5, Number.NaN]) {
        await expect(log.saveSnapshot(outline, snapshotAt(seq))).rejects.toThrow(RangeError);
      }
      expect(read(await log.load(outline)).updates).toEqual([[1, "a"]]);
    });

    test("[P5] a large snapshot comes back as it was", async () => {
      const first = await openStore();
      const outline = anOutline();
      await appendAll(first.log, outline, ["a"]);
      const chunks = range(1, 8).map((seed) =>
        Uint8Array.from({ length: 400_000 }, (_, index) => (index * seed) % 253),
      );
      const snapshot: Snapshot = {
        seq: 1,
        chunks,
        stateVector: new Uint8Array(),
        annex: crypto.getRandomValues(new Uint8Array(60_000)),
      };
      await first.log.saveSnapshot(outline, snapshot);
      const { log } = await first.restart();
      const loaded = (await log.load(outline)).snapshot;
      expect(loaded?.chunks.length).toBe(8);
      for (const [index, chunk] of chunks.entries()) {
        expect(Buffer.compare(loaded?.chunks[index] ?? bytes(""), chunk)).toBe(0);
      }
      expect(loaded?.annex).toEqual(snapshot.annex);
    });

    test("[P6] behind a snapshot the newest updates stay, as many as fit", async () => {
      const { log } = await openStore({ tail: { updates: 3, bytes: 1000 } });
      const outline = anOutline();
      await appendAll(log, outline, ["a", "b", "c", "d", "e"]);
      await log.saveSnapshot(outline, snapshotAt(4));
      expect(await behind(log, outline, 2)).toEqual({ head: 5, updates: ["c", "d", "e"] });
      expect(await behind(log, outline, 1)).toBe(undefined);
      expect(read(await log.load(outline))).toEqual({
        head: 5,
        snapshot: snapshotAt(4),
        updates: [[5, "e"]],
        bindings: [],
      });
    });

    test("[P6] the bytes of the tail are limited too", async () => {
      const { log } = await openStore({ tail: { updates: 100, bytes: 5 } });
      const outline = anOutline();
      await appendAll(log, outline, ["aa", "bb", "cc", "d"]);
      await log.saveSnapshot(outline, snapshotAt(4));
      expect((await behind(log, outline, 1))?.updates.length).toBe(3);
      expect(await behind(log, outline, 0)).toBe(undefined);
    });

    test("[P6] what the snapshot does not hold stays, however small the tail", async () => {
      const { log } = await openStore({ tail: { updates: 0, bytes: 0 } });
      const outline = anOutline();
      await appendAll(log, outline, ["a", "b", "c", "d"]);
      await log.saveSnapshot(outline, snapshotAt(2));
      expect(read(await log.load(outline))).toEqual({
        head: 4,
        snapshot: snapshotAt(2),
        updates: [
          [3, "c"],
          [4, "d"],
        ],
        bindings: [],
      });
      await log.saveSnapshot(outline, snapshotAt(4));
      expect(await log.append(outline, { updates: [bytes("e")] })).toBe(5);
    });

    test("[P6] a long log is trimmed to its tail", async () => {
      const { log } = await openStore({ tail: { updates: 10, bytes: 1000 } });
      const outline = anOutline();
      await log.append(outline, { updates: range(1, 3000).map((seq) => bytes(`${seq}`)) });
      await log.saveSnapshot(outline, snapshotAt(3000));
      expect((await behind(log, outline, 2990))?.updates.length).toBe(10);
      expect(await behind(log, outline, 2989)).toBe(undefined);
      expect(await log.append(outline, { updates: [bytes("next")] })).toBe(3001);
    });

    test("[P8] the head is the newest acknowledged number, 0 for an unknown outline", async () => {
      const first = await openStore();
      const [one, two, unknown] = [anOutline(), anOutline(), anOutline()];
      await appendAll(first.log, one, ["a", "b"]);
      await appendAll(first.log, two, ["a"]);
      const { log } = await first.restart();
      const extents = await Promise.all([one, two, unknown].map((id) => log.extent(id)));
      expect(extents.map(({ head }) => head)).toEqual([2, 1, 0]);
    });

    test("[P9] a dropped outline is gone with everything in it", async () => {
      const first = await openStore({ tail: { updates: 100, bytes: 1000 } });
      const [outline, other] = [anOutline(), anOutline()];
      for (const each of [outline, other]) {
        await first.log.append(each, {
          updates: [bytes("a"), bytes("b")],
          bindings: [{ client: 7, holder: { kind: "server" } }],
        });
        await first.log.saveSnapshot(each, snapshotAt(1));
      }
      const before = await first.log.load(other);
      await first.log.drop(outline);
      await first.log.drop(anOutline());
      const empty = { head: 0, updates: [], bindings: [] };
      expect(read(await first.log.load(outline))).toEqual(empty);
      expect(await first.log.extent(outline)).toMatchObject({ head: 0 });
      const { log } = await first.restart();
      expect(read(await log.load(outline))).toEqual(empty);
      expect(await listed(log)).toEqual([other]);
      expect(await log.load(other)).toEqual(before);
      expect(await log.append(outline, { updates: [bytes("new")] })).toBe(1);
    });

    test("[P9] every outline with entries is listed, once", async () => {
      const { log } = await openStore();
      const outlines = range(1, 1200).map(anOutline);
      await Promise.all(outlines.map((outline) => appendAll(log, outline, ["a"])));
      expect((await listed(log)).toSorted()).toEqual(outlines.toSorted());
    });

    test("[P10] a window gives one token, to one of many who ask at once", async () => {
      let now = 1_000_000;
      const { log } = await openStore({ now: () => now });
      const answers = await Promise.all(range(1, 20).map(() => log.takeToken("export:me", 60_000)));
      expect(answers.filter((waitMs) => waitMs === 0).length).toBe(1);
      expect(answers.filter((waitMs) => waitMs === 60_000).length).toBe(19);
      expect(await log.takeToken("export:you", 60_000)).toBe(0);
      now += 59_999;
      expect(await log.takeToken("export:me", 60_000)).toBe(1);
      now += 1;
      expect(await log.takeToken("export:me", 60_000)).toBe(0);
      expect(await log.takeToken("export:me", 60_000)).toBe(60_000);
    });

    test("[P10] one of many who ask at once gets it, whatever each of them sees on the clock", async () => {
      let now = 1_000_000;
      const { log } = await openStore({ now: () => now++ });
      for (const name of range(1, 10).map((number) => `export:${number}`)) {
        const firstAt = now;
        expect(await log.takeToken(name, 1000)).toBe(0);
        now = firstAt + 999;
        const waits = await Promise.all(range(1, 5).map(() => log.takeToken(name, 1000)));
        expect(waits.filter((waitMs) => waitMs === 0)).toEqual([0]);
      }
    });

    test("[P10] a token stays taken over a restart", async () => {
      const first = await openStore({ now: () => 5000 });
      expect(await first.log.takeToken("k", 1000)).toBe(0);
      const { log } = await first.restart({ now: () => 5400 });
      expect(await log.takeToken("k", 1000)).toBe(600);
    });

    test("[P10] a clock that was set back keeps nobody waiting", async () => {
      let now = 10 ** 12;
      const { log } = await openStore({ now: () => now });
      expect(await log.takeToken("k", 1000)).toBe(0);
      now -= 10 ** 9;
      expect(await log.takeToken("k", 1000)).toBe(0);
      expect(await log.takeToken("k", 1000)).toBe(1000);
    });

    test("[P10] any text names a token", async () => {
      const { log } = await openStore();
      const names = ["", "/", "t/", "a/../b", "\0", "😀", "__proto__", "x".repeat(5000)];
      for (const name of names) expect(await log.takeToken(name, 60_000)).toBe(0);
      for (const name of names) expect(await log.takeToken(name, 60_000)).toBeGreaterThan(0);
    });

    test("[P11] what is no outline id is refused before it reaches the store", async () => {
      const { log } = await openStore();
      const id = anOutline();
      const hostile = [
        "",
        "__proto__",
        "constructor",
        "../../etc/passwd",
        "..%2f",
        id.slice(1),
        `${id}0`,
        `${id}\0`,
        ` ${id}`,
        `${id}\n`,
        id.toUpperCase().replace(/^./, "A"),
        "0".repeat(20),
        "x".repeat(8000),
        "\ud800",
      ] as OutlineId[];
      for (const outline of hostile) {
        await expect(log.append(outline, { updates: [bytes("a")] })).rejects.toThrow(TypeError);
        await expect(log.load(outline)).rejects.toThrow(TypeError);
        await expect(log.extent(outline)).rejects.toThrow(TypeError);
        await expect(log.hasDevices(outline)).rejects.toThrow(TypeError);
        await expect(behind(log, outline, 0)).rejects.toThrow(TypeError);
        await expect(log.drop(outline)).rejects.toThrow(TypeError);
        await expect(log.saveSnapshot(outline, snapshotAt(0))).rejects.toThrow(TypeError);
      }
      expect(await listed(log)).toEqual([]);
    });

    test("[P11] outlines whose ids differ in the last digit never meet", async () => {
      const { log } = await openStore();
      const stem = "ffffffffffff8fffbff";
      const outlines = Array.from("0123456789abcdef", (digit) => `${stem}${digit}` as OutlineId);
      for (const outline of outlines) {
        await log.append(outline, { updates: [bytes(outline)] });
        await log.saveSnapshot(outline, snapshotAt(1, outline));
        await log.append(outline, { updates: [bytes("after")] });
      }
      const [first, ...others] = outlines;
      await log.drop(first ?? anOutline());
      for (const outline of others) {
        expect(read(await log.load(outline))).toEqual({
          head: 2,
          snapshot: snapshotAt(1, outline),
          updates: [[2, "after"]],
          bindings: [],
        });
      }
    });

    test("[P12] closing waits for what is under way, and ends it for good", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      await appendAll(log, outline, ["a"]);
      const underWay = [
        log.append(outline, { updates: [bytes("b")] }),
        log.saveSnapshot(outline, snapshotAt(1)),
        log.takeToken("k", 1000),
        log.load(outline),
      ];
      const closing = log.close();
      const afterwards = await Promise.allSettled([
        log.append(outline, { updates: [bytes("c")] }),
        log.load(outline),
        log.extent(outline),
        log.saveSnapshot(outline, snapshotAt(2)),
        log.takeToken("j", 1000),
        log.drop(outline),
        log.probe(),
        listed(log),
      ]);
      const refused = { status: "rejected", reason: { name: "StoreError", code: "store_closed" } };
      expect(afterwards).toMatchObject(afterwards.map(() => refused));
      expect(await Promise.all(underWay)).toMatchObject([2, true, 0, { head: expect.any(Number) }]);
      await closing;
      await log.close();
    });

    test("[P14] a probe succeeds while the store works", async () => {
      const { log } = await openStore();
      expect(await Promise.all([log.probe(), log.probe()])).toEqual([undefined, undefined]);
    });

    test("[P15] a replica of another history can't write", async () => {
      const { log } = await openStore();
      const outline = anOutline();
      const { epoch } = await log.load(outline);
      await log.append(outline, { updates: [bytes("a")], epoch });
      const refusal = { name: "StoreError", code: "store_unavailable", outline };
      const foreign = `${epoch}0`;
      await expect(
        log.append(outline, { updates: [bytes("b")], epoch: foreign }),
      ).rejects.toMatchObject(refusal);
      await expect(
        log.saveSnapshot(outline, snapshotAt(1), { epoch: foreign }),
      ).rejects.toMatchObject(refusal);
      expect(read(await log.load(outline))).toEqual({ head: 1, updates: [[1, "a"]], bindings: [] });
      expect(await log.saveSnapshot(outline, snapshotAt(1), { epoch })).toBe(true);
    });
  });
}
