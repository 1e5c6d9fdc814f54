import { expect, test } from "vitest";

import type { ClientChange } from "../../client/lib/store/client-changes.ts";
import type { StoreFailure } from "../../client/lib/store/replica-store.ts";
import type { StoreError } from "../../client/lib/store/replica-store.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import { anOutline } from "./store-driver.ts";
import { bytes, codeOf, contentsOf, textOf, updatesOf } from "./replica-reading.ts";
import type { Places } from "./replica-store-driver.ts";

const kept = (client: number): ClientChange => ({ client, isKept: true });

/** What is written is there, whole and in order, or not at all. */
export function replicaBatchContract({ newPlace, newStore }: Places): void {
  test("[L32] a new store is empty", async () => {
    expect(await contentsOf(await newStore())).toEqual({
      position: { epoch: "", seq: 0 },
      outline: undefined,
      clients: [],
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
      clients: [kept(3), kept(5)],
    });
    await store.close();
    expect(await contentsOf(await place.open())).toEqual({
      position: { epoch: "one", seq: 7 },
      outline,
      clients: [3, 5],
      outbox: [
        [numbers[0], "c"],
        [numbers[1], "d"],
      ],
      updates: ["a", "b", "c", "d"],
    });
  });

  test("[L13] [L32] which own updates may have been sent is kept, and a replacement's have not been", async () => {
    const place = await newPlace();
    const store = await place.open();
    const [sent = 0] = await store.write({ own: [bytes("a")], isSent: true });
    const [unsent = 0] = await store.write({ own: [bytes("b")] });
    await store.write({ received: [bytes("c")] });
    await store.close();
    const again = await place.open();
    const { sentUpTo, position } = await again.read();
    expect([sent <= sentUpTo, unsent <= sentUpTo]).toEqual([true, false]);
    await again.write({ isSent: true });
    expect((await again.read()).sentUpTo).toBeGreaterThanOrEqual(unsent);
    const [fresh = 0] = await again.replace({
      updates: [],
      own: [bytes("d")],
      position,
      clients: [],
    });
    expect((await again.read()).sentUpTo).toBeLessThan(fresh);
  });

  test("[L32] batches add and take away client ids, of which the latest few stay", async () => {
    const store = await newStore();
    await store.write({ clients: [kept(1), kept(2)] });
    await store.write({ clients: [kept(3), { client: 1, isKept: false }] });
    await store.write({ clients: [kept(2)] });
    expect((await store.read()).clients).toEqual([2, 3]);
    await store.write({ clients: Array.from({ length: 20 }, (_, index) => kept(100 + index)) });
    const latest = Array.from({ length: 16 }, (_, index) => 104 + index);
    expect((await store.read()).clients).toEqual(latest);
  });

  test("[L32] what a batch does not name stays as it is", async () => {
    const store = await newStore();
    await store.write({ position: { epoch: "one", seq: 7 }, clients: [kept(3)] });
    await store.write({ received: [bytes("a")] });
    await store.write({ position: { epoch: "one", seq: 8 } });
    await store.write({});
    const { position, clients } = await store.read();
    expect({ position, clients }).toEqual({
      position: { epoch: "one", seq: 8 },
      clients: [3],
    });
  });

  test("[L30] updates of any bytes and size come back as they were", async () => {
    const store = await newStore();
    const large = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 251);
    const all = Uint8Array.from({ length: 256 }, (_, index) => index);
    await store.write({ received: [new Uint8Array(), all, large] });
    const [empty, same, long] = await updatesOf(store);
    expect([empty, same]).toEqual([new Uint8Array(), all]);
    expect(Buffer.compare(long ?? new Uint8Array(), large)).toBe(0);
  });

  test("[L30] an update that is a part of a larger buffer is stored alone, as it was then", async () => {
    const store = await newStore();
    const buffer = bytes("before-update-behind");
    await store.write({ received: [buffer.subarray(7, 13)] });
    buffer.fill(0);
    expect((await contentsOf(store)).updates).toEqual(["update"]);
    const [update] = await updatesOf(store);
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
      clients: [kept(1)],
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
      clients: [],
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
    await store.replace({ updates: [], own: [], position: { epoch: "", seq: 0 }, clients: [] });
    await store.close();
    const again = await place.open();
    const names = ["folds", "zoom", "gone", "never"];
    const read = await Promise.all(names.map((name) => again.readRecord(name)));
    expect(read).toEqual([folds, "b", undefined, undefined]);
  });

  test("[L35] a replacement takes the place of everything but whose outline it is", async () => {
    const place = await newPlace();
    const store = await place.open();
    const outline = anOutline();
    const before = await store.write({
      received: [bytes("a")],
      own: [bytes("b")],
      position: { epoch: "one", seq: 5 },
      clients: [kept(1)],
      outline,
    });
    const numbers = await store.replace({
      updates: [bytes("c"), bytes("d")],
      own: [bytes("e")],
      position: { epoch: "two", seq: 2 },
      clients: [2],
    });
    await store.close();
    expect(Math.min(...numbers)).toBeGreaterThan(Math.max(...before));
    expect(await contentsOf(await place.open())).toEqual({
      position: { epoch: "two", seq: 2 },
      outline,
      clients: [2],
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
      clients: [],
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
      store.replace({ updates: [], own: [], position: { epoch: "", seq: 0 }, clients: [] }),
      store.readRecord("zoom"),
      store.writeRecord("zoom", "a"),
      store.destroy(),
    ];
    expect(await Promise.all(late.map(codeOf))).toEqual(late.map(() => "failed"));
    expect(await codeOf(pending)).toBe("none");
    await closing;
    await store.close();
    const reading = async () => {
      for await (const update of updates) expect(textOf(update)).toBe("a");
    };
    // What was read before may come to its end, or be refused.
    expect(["none", "failed"]).toContain(await codeOf(reading()));
  });

  test("[L39] what is destroyed is gone, and the store can begin anew", async () => {
    const place = await newPlace();
    const store = await place.open();
    await store.write({ own: [bytes("a")], clients: [kept(1)], outline: anOutline() });
    await store.writeRecord("zoom", "a");
    await store.destroy();
    expect(await codeOf(store.read())).toBe("failed");
    const again = await place.open();
    expect(await contentsOf(again)).toEqual(await contentsOf(await newStore()));
    expect(await again.readRecord("zoom")).toBe(undefined);
  });
}
