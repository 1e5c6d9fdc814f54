import { afterEach, describe, expect, test } from "vitest";
import * as Y from "yjs";

import type {
  ReplicaStore,
  StoredLease,
  StoreFailure,
} from "../../client/lib/store/replica-store.ts";
import { StoreError } from "../../client/lib/store/replica-store.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import { anOutline } from "./store-driver.ts";
import type { ReplicaStoreDriver, ReplicaStorePlace } from "./replica-store-driver.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (update: Uint8Array): string => new TextDecoder().decode(update);
const lease = (client: number): StoredLease => ({ client, secret: bytes(`secret of ${client}`) });

async function updatesIn(store: ReplicaStore): Promise<readonly Uint8Array[]> {
  const updates: Uint8Array[] = [];
  for await (const update of (await store.read()).updates) updates.push(update);
  return updates;
}

/** Everything that a store holds, with updates as text. */
async function contentsOf(store: ReplicaStore) {
  const { position, outline, leases, outbox } = await store.read();
  return {
    position,
    outline,
    leases,
    outbox: outbox.map(({ number, update }) => [number, text(update)]),
    updates: (await updatesIn(store)).map(text),
  };
}

async function shownIn(store: ReplicaStore): Promise<string> {
  const doc = new Y.Doc();
  for (const update of await updatesIn(store)) Y.applyUpdate(doc, update);
  return doc.getText().toJSON();
}

async function codeOf(operation: Promise<unknown>): Promise<StoreFailure | "none"> {
  try {
    await operation;
    return "none";
  } catch (error) {
    if (error instanceof StoreError) return error.code;
    throw error;
  }
}

/** The edits of one device in a document, and what it shows then. */
function editsOf(client: number, count: number, edit: (text: Y.Text, index: number) => void) {
  const doc = new Y.Doc();
  doc.clientID = client;
  const updates: Uint8Array[] = [];
  doc.on("update", (update: Uint8Array) => updates.push(update));
  for (let index = 0; index < count; index++) doc.transact(() => edit(doc.getText(), index));
  return { doc, updates, shown: doc.getText().toJSON() };
}

/** 30 KB typed and 20 KB of them deleted, again and again: some 450 KB that compact well. */
const wasteful = (client: number) =>
  editsOf(client, 30, (shared, index) => {
    if (index % 2 === 0) shared.insert(shared.length, `${index}:${"x".repeat(30_000)};`);
    else shared.delete(shared.length - 20_000, 15_000);
  });

/** Every rule of the port that a test can show on any driver. */
export function replicaStoreContract(driver: ReplicaStoreDriver): void {
  describe(`replica store: ${driver.name}`, () => {
    const cleanups: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
    });

    async function newPlace(): Promise<ReplicaStorePlace> {
      const place = await driver.newPlace();
      cleanups.push(() => place.remove());
      return {
        ...place,
        open: async () => {
          const store = await place.open();
          cleanups.push(() => store.close());
          return store;
        },
      };
    }

    async function newStore(): Promise<ReplicaStore> {
      return (await newPlace()).open();
    }

    test("[L32] a new store is empty", async () => {
      expect(await contentsOf(await newStore())).toEqual({
        position: { epoch: "", seq: 0 },
        outline: undefined,
        leases: [],
        outbox: [],
        updates: [],
      });
    });

    test("[L30] [L32] everything that was written is there when the store is opened again", async () => {
      const place = await newPlace();
      const store = await place.open();
      const outline: OutlineId = anOutline();
      const numbers = await store.write({
        received: [bytes("a"), bytes("b")],
        own: [bytes("c"), bytes("d")],
        position: { epoch: "one", seq: 7 },
        outline,
        leases: [lease(3), lease(5)],
      });
      await store.close();
      expect(await contentsOf(await place.open())).toEqual({
        position: { epoch: "one", seq: 7 },
        outline,
        leases: [lease(3), lease(5)],
        outbox: [
          [numbers[0], "c"],
          [numbers[1], "d"],
        ],
        updates: ["a", "b", "c", "d"],
      });
    });

    test("[L32] what a batch does not name stays as it is", async () => {
      const store = await newStore();
      await store.write({ position: { epoch: "one", seq: 7 }, leases: [lease(3)] });
      await store.write({ received: [bytes("a")] });
      await store.write({ position: { epoch: "one", seq: 8 } });
      await store.write({});
      const { position, leases } = await store.read();
      expect({ position, leases }).toEqual({
        position: { epoch: "one", seq: 8 },
        leases: [lease(3)],
      });
    });

    test("[L30] updates of any bytes and size come back as they were", async () => {
      const store = await newStore();
      const large = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 251);
      const all = Uint8Array.from({ length: 256 }, (_, index) => index);
      await store.write({ received: [new Uint8Array(), all, large] });
      const [empty, same, long] = await updatesIn(store);
      expect([empty, same]).toEqual([new Uint8Array(), all]);
      expect(Buffer.compare(long ?? new Uint8Array(), large)).toBe(0);
    });

    test("[L30] an update that is a part of a larger buffer is stored alone, as it was then", async () => {
      const store = await newStore();
      const buffer = bytes("before-update-behind");
      await store.write({ received: [buffer.subarray(7, 13)] });
      buffer.fill(0);
      expect((await contentsOf(store)).updates).toEqual(["update"]);
      const [update] = await updatesIn(store);
      expect(update?.buffer.byteLength).toBeLessThan(buffer.byteLength);
    });

    test("[L30] batches take effect in the order of the calls", async () => {
      const store = await newStore();
      const order = Array.from({ length: 200 }, (_, index) => `${index}`);
      const answered: string[] = [];
      await Promise.all(
        order.map(async (each, index) => {
          const update = [bytes(each)];
          await store.write(index % 3 === 0 ? { own: update } : { received: update });
          answered.push(each);
        }),
      );
      expect(answered).toEqual(order);
      expect((await contentsOf(store)).updates).toEqual(order);
    });

    test("[L30] a batch that fails changes nothing, and takes those behind it with it", async () => {
      const place = await newPlace();
      const store = await place.open();
      const [first] = await store.write({ own: [bytes("a")], position: { epoch: "one", seq: 1 } });
      const before = await contentsOf(store);
      place.fillUp();
      const failing = store.write({
        received: [bytes("b"), bytes("c")],
        own: [bytes("d")],
        settled: [first ?? 0],
        position: { epoch: "one", seq: 9 },
        leases: [lease(1)],
      });
      const behind = store.write({ position: { epoch: "one", seq: 10 } });
      expect([await codeOf(failing), await codeOf(behind)]).toEqual(["full", "full"]);
      expect(await contentsOf(store)).toEqual(before);
    });

    test("[L37] a store goes on when what failed works again", async () => {
      const place = await newPlace();
      const store = await place.open();
      const failures: StoreError[] = [];
      store.onFailure((error) => failures.push(error));
      await store.write({ received: [bytes("a")] });
      place.fillUp();
      expect(await codeOf(store.write({ received: [bytes("b")] }))).toBe("full");
      await store.write({ received: [bytes("b again")] });
      expect((await contentsOf(store)).updates).toEqual(["a", "b again"]);
      expect(failures).toEqual([]);
    });

    test("[L31] own updates have growing numbers, never the same again", async () => {
      const place = await newPlace();
      const store = await place.open();
      const numbers = [...(await store.write({ own: [bytes("a"), bytes("b")] }))];
      await store.write({ received: [bytes("c")] });
      numbers.push(...(await store.write({ own: [bytes("d")] })));
      await store.write({ settled: numbers });
      await store.close();
      const again = await place.open();
      numbers.push(...(await again.write({ own: [bytes("e")] })));
      await again.replace({
        updates: [],
        own: [],
        position: { epoch: "", seq: 0 },
        leases: [],
      });
      numbers.push(...(await again.write({ own: [bytes("f")] })));
      expect(numbers).toHaveLength(5);
      expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
    });

    test("[L31] what is settled leaves the outbox and stays in the replica", async () => {
      const store = await newStore();
      const [a, b, c] = await store.write({ own: [bytes("a"), bytes("b"), bytes("c")] });
      await store.write({ settled: [a ?? 0, c ?? 0, 999] });
      const { outbox, updates } = await contentsOf(store);
      expect(outbox).toEqual([[b, "b"]]);
      expect(updates).toEqual(["a", "b", "c"]);
    });

    test("[L32] records are JSON values by name, and outlive a replacement", async () => {
      const place = await newPlace();
      const store = await place.open();
      const folds = { open: ["a", "b"], at: 3, none: null };
      await store.writeRecord("folds", folds);
      await store.writeRecord("zoom", "a");
      await store.writeRecord("zoom", "b");
      await store.writeRecord("gone", 1);
      await store.writeRecord("gone", undefined);
      await store.replace({ updates: [], own: [], position: { epoch: "", seq: 0 }, leases: [] });
      await store.close();
      const again = await place.open();
      const names = ["folds", "zoom", "gone", "never"];
      const read = await Promise.all(names.map((name) => again.readRecord(name)));
      expect(read).toEqual([folds, "b", undefined, undefined]);
    });

    test("[L34] compaction leaves what is shown, the outbox and what waits for other updates", async () => {
      const place = await newPlace();
      const store = await place.open();
      const { updates, shown } = wasteful(7);
      const other = editsOf(9, 3, (shared, index) => shared.insert(0, `other ${index} `));
      const [missing, ...waiting] = other.updates;
      await store.write({ received: updates.slice(0, 20), position: { epoch: "one", seq: 3 } });
      const numbers = await store.write({ own: updates.slice(20) });
      await store.write({ received: waiting });
      const sizeBefore = byteLength(await updatesIn(store));

      await store.compact();
      await store.close();
      const again = await place.open();
      const compacted = await updatesIn(again);
      expect(byteLength(compacted)).toBeLessThan(sizeBefore * 0.6);
      expect(Math.max(...compacted.map(({ byteLength: size }) => size))).toBeLessThan(1_000_000);
      expect(await shownIn(again)).toBe(shown);
      const { outbox, position } = await again.read();
      expect(outbox.map(({ number }) => number)).toEqual(numbers);
      expect(outbox.map(({ update }) => update)).toEqual(updates.slice(20));
      expect(position).toEqual({ epoch: "one", seq: 3 });

      await again.write({ received: missing === undefined ? [] : [missing] });
      expect(await shownIn(again)).toContain("other 2 other 1 other 0");
    });

    test("[L34] many small updates are compacted too, few are not", async () => {
      const store = await newStore();
      const few = editsOf(7, 100, (shared) => shared.insert(0, "a")).updates;
      await store.write({ received: few });
      await store.compact();
      expect(await updatesIn(store)).toEqual(few);
      const many = editsOf(8, 5_001, (shared) => shared.insert(0, "b")).updates;
      await store.write({ received: many });
      await store.compact();
      expect((await updatesIn(store)).length).toBeLessThan(10);
      expect(await shownIn(store)).toHaveLength(5_101);
    });

    test("[L34] what is written while it compacts is kept, and numbers go on", async () => {
      const place = await newPlace();
      const store = await place.open();
      const { doc, updates } = wasteful(7);
      await store.write({ received: updates });
      const later: Uint8Array[] = [];
      doc.on("update", (update: Uint8Array) => later.push(update));
      const compacting = store.compact();
      const numbers: number[] = [];
      for (let index = 0; index < 20; index++) {
        doc.getText().insert(0, `later ${index} `);
        numbers.push(...(await store.write({ own: later.splice(0) })));
      }
      await compacting;
      expect(await shownIn(store)).toBe(doc.getText().toJSON());
      expect((await store.read()).outbox.map(({ number }) => number)).toEqual(numbers);
      await store.close();
      expect(await shownIn(await place.open())).toBe(doc.getText().toJSON());
    });

    test("[L34] a reader that has begun gets everything, though the store is compacted meanwhile", async () => {
      const store = await newStore();
      const { updates, shown } = wasteful(7);
      for (const update of updates) await store.write({ received: [update] });
      const doc = new Y.Doc();
      let read = 0;
      for await (const update of (await store.read()).updates) {
        Y.applyUpdate(doc, update);
        read += 1;
        if (read === 5) await store.compact();
      }
      expect(doc.getText().toJSON()).toBe(shown);
    });

    test("[L34] compacting again and again, twice at once, while it is replaced, loses nothing", async () => {
      const store = await newStore();
      const first = wasteful(7);
      await store.write({ received: first.updates });
      await Promise.all([store.compact(), store.compact()]);
      expect(await shownIn(store)).toBe(first.shown);
      const second = wasteful(8);
      const compacting = store.compact();
      await store.replace({
        updates: second.updates,
        own: [],
        position: { epoch: "two", seq: 2 },
        leases: [],
      });
      await compacting;
      expect(await shownIn(store)).toBe(second.shown);
      await store.compact();
      expect(await shownIn(store)).toBe(second.shown);
    });

    test("[L36] a replica that can't be compacted is left as it is", async () => {
      const store = await newStore();
      const noUpdate = new Uint8Array(300_000).fill(255);
      await store.write({ received: [noUpdate], own: [bytes("own")] });
      const before = await contentsOf(store);
      expect(await codeOf(store.compact())).toBe("failed");
      expect(await contentsOf(store)).toEqual(before);
    });

    test("[L35] a replacement takes the place of everything but whose outline it is", async () => {
      const place = await newPlace();
      const store = await place.open();
      const outline = anOutline();
      const before = await store.write({
        received: [bytes("a")],
        own: [bytes("b")],
        position: { epoch: "one", seq: 5 },
        leases: [lease(1)],
        outline,
      });
      const numbers = await store.replace({
        updates: [bytes("c"), bytes("d")],
        own: [bytes("e")],
        position: { epoch: "two", seq: 2 },
        leases: [lease(2)],
      });
      await store.close();
      expect(Math.min(...numbers)).toBeGreaterThan(Math.max(...before));
      expect(await contentsOf(await place.open())).toEqual({
        position: { epoch: "two", seq: 2 },
        outline,
        leases: [lease(2)],
        outbox: [[numbers[0], "e"]],
        updates: ["c", "d", "e"],
      });
    });

    test("[L35] a replacement that fails changes nothing", async () => {
      const place = await newPlace();
      const store = await place.open();
      await store.write({ received: [bytes("a")], own: [bytes("b")] });
      const before = await contentsOf(store);
      place.fillUp();
      const replacing = store.replace({
        updates: [bytes("c")],
        own: [bytes("d")],
        position: { epoch: "two", seq: 2 },
        leases: [],
      });
      expect(await codeOf(replacing)).toBe("full");
      expect(await contentsOf(store)).toEqual(before);
    });

    test("[L36] [L37] a store that is deleted while it is open says so, once and for good", async () => {
      const place = await newPlace();
      const store = await place.open();
      const told: StoreFailure[] = [];
      store.onFailure(({ code }) => told.push(code));
      const stop = store.onFailure(() => told.push("failed"));
      stop();
      await store.write({ received: [bytes("a")] });
      await place.lose();
      expect(await codeOf(store.write({ received: [bytes("b")] }))).toBe("lost");
      expect(await codeOf(store.write({ received: [bytes("c")] }))).toBe("lost");
      expect(await codeOf(store.read())).toBe("lost");
      expect(await codeOf(store.writeRecord("zoom", "a"))).toBe("lost");
      store.onFailure(({ code }) => told.push(code));
      expect(told).toEqual(["lost", "lost"]);
      await store.close();
      expect((await contentsOf(await place.open())).updates).toEqual([]);
    });

    test("[L36] after it was closed everything is refused with a StoreError", async () => {
      const store = await newStore();
      const { updates } = await store.read();
      const pending = store.write({ received: [bytes("a")] });
      const closing = store.close();
      const late = [
        store.read(),
        store.write({ received: [bytes("b")] }),
        store.readNew(),
        store.compact(),
        store.replace({ updates: [], own: [], position: { epoch: "", seq: 0 }, leases: [] }),
        store.readRecord("zoom"),
        store.writeRecord("zoom", "a"),
        store.destroy(),
      ];
      expect(await Promise.all(late.map(codeOf))).toEqual(late.map(() => "failed"));
      expect(await codeOf(pending)).toBe("none");
      await closing;
      await store.close();
      const reading = async () => {
        for await (const update of updates) expect(text(update)).toBe("a");
      };
      // What was read before may come to its end, or be refused.
      expect(["none", "failed"]).toContain(await codeOf(reading()));
    });

    test("[L39] what is destroyed is gone, and the store can begin anew", async () => {
      const place = await newPlace();
      const store = await place.open();
      await store.write({ own: [bytes("a")], leases: [lease(1)], outline: anOutline() });
      await store.writeRecord("zoom", "a");
      await store.destroy();
      expect(await codeOf(store.read())).toBe("failed");
      const again = await place.open();
      expect(await contentsOf(again)).toEqual(await contentsOf(await newStore()));
      expect(await again.readRecord("zoom")).toBe(undefined);
    });

    if (driver.handles === "many") severalHandles(newPlace);
  });
}

/** What only stores show that several tabs have open. */
function severalHandles(newPlace: () => Promise<ReplicaStorePlace>): void {
  test("[L33] a handle reads what others have added since it read, once, and nothing of its own", async () => {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    await one.write({ received: [bytes("a")] });
    expect((await contentsOf(other)).updates).toEqual(["a"]);
    expect(await contentsOf(one)).toMatchObject({ updates: ["a"] });
    await one.write({ own: [bytes("b")] });
    await other.write({ own: [bytes("c")] });
    await one.write({ received: [bytes("d"), bytes("e")] });
    expect((await other.readNew()).map(text)).toEqual(["b", "d", "e"]);
    expect((await other.readNew()).map(text)).toEqual([]);
    expect((await one.readNew()).map(text)).toEqual(["c"]);
    await other.write({ own: [bytes("f")] });
    // Looking at the outbox alone is no reading of the updates.
    expect((await one.read()).outbox).toHaveLength(3);
    expect((await one.readNew()).map(text)).toEqual(["f"]);
    expect((await other.readNew()).map(text)).toEqual([]);
  });

  test("[L33] what another handle has compacted before it was read is not missed", async () => {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const { updates, shown } = wasteful(7);
    await one.write({ received: updates.slice(0, 25) });
    const doc = new Y.Doc();
    for (const update of await updatesIn(other)) Y.applyUpdate(doc, update);
    await one.write({ received: updates.slice(25) });
    await one.compact();
    for (const update of await other.readNew()) Y.applyUpdate(doc, update);
    expect(doc.getText().toJSON()).toBe(shown);
    expect(await other.readNew()).toEqual([]);
  });

  test("[L31] numbers of own updates are unique over all handles", async () => {
    const place = await newPlace();
    const handles = [await place.open(), await place.open(), await place.open()];
    const writes = Array.from({ length: 20 }, (_, index) =>
      handles.map((handle) => handle.write({ own: [bytes(`${index}`), bytes("twice")] })),
    );
    const numbers = (await Promise.all(writes.flat())).flat();
    expect(new Set(numbers).size).toBe(120);
    const stored = (await (await place.open()).read()).outbox.map(({ number }) => number);
    expect(stored).toEqual(numbers.sort((one, other) => one - other));
  });

  test("[L34] two handles may compact and write at the same time", async () => {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const { updates, shown } = wasteful(7);
    for (const [index, update] of updates.entries()) {
      const [writer, helper] = index % 2 === 0 ? [one, other] : [other, one];
      await Promise.all([writer.write({ received: [update] }), helper.compact()]);
    }
    await Promise.all([one.compact(), other.compact()]);
    expect(await shownIn(one)).toBe(shown);
  });

  test("[L35] a handle may not write to a replica that another has put in place, before it reads it", async () => {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    await one.write({ received: [bytes("a")] });
    await contentsOf(other);
    const position = { epoch: "two", seq: 1 };
    await one.replace({ updates: [bytes("b")], own: [], position, leases: [] });
    expect(await codeOf(other.write({ own: [bytes("c")] }))).toBe("replaced");
    expect(await codeOf(other.readNew())).toBe("replaced");
    expect((await contentsOf(other)).updates).toEqual(["b"]);
    await other.write({ own: [bytes("d")] });
    expect((await one.readNew()).map(text)).toEqual(["d"]);
  });

  test("[L39] a store that one handle destroys is lost for the others", async () => {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const told: string[] = [];
    one.onFailure(() => told.push("one"));
    other.onFailure(({ code }) => told.push(`other: ${code}`));
    await other.write({ received: [bytes("a")] });
    await one.destroy();
    expect(await codeOf(other.write({ received: [bytes("b")] }))).toBe("lost");
    expect(told).toEqual(["other: lost"]);
  });
}

function byteLength(updates: readonly Uint8Array[]): number {
  return updates.reduce((sum, update) => sum + update.byteLength, 0);
}
