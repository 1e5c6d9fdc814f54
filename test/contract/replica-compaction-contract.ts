import { expect, test } from "vitest";
import * as Y from "yjs";

import {
  byteLength,
  bytes,
  codeOf,
  contentsOf,
  editsOf,
  shownIn,
  updatesOf,
  wasteful,
  manyKilobytes,
} from "./replica-reading.ts";
import type { Places } from "./replica-store-driver.ts";

/** Compacting changes nothing but the space it takes. */
export function replicaCompactionContract({ newPlace, newStore }: Places): void {
  test("[L34] compaction leaves what is shown, the outbox and what waits for other updates", async () => {
    const place = await newPlace();
    const store = await place.open();
    const { updates, shown } = wasteful(7);
    const other = editsOf(9, 3, (shared, index) => shared.insert(0, `other ${index} `));
    const [missing, ...waiting] = other.updates;
    await store.write({ received: updates.slice(0, 20), position: { epoch: "one", seq: 3 } });
    const numbers = await store.write({ own: updates.slice(20) });
    await store.write({ received: waiting });
    const sizeBefore = byteLength(await updatesOf(store));

    await store.compact();
    await store.close();
    const again = await place.open();
    const compacted = await updatesOf(again);
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
    expect(await updatesOf(store)).toEqual(few);
    const many = editsOf(8, 5_001, (shared) => shared.insert(0, "b")).updates;
    await store.write({ received: many });
    await store.compact();
    expect((await updatesOf(store)).length).toBeLessThan(10);
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
    // So many that no driver reads them all at once.
    const { updates, shown } = manyKilobytes(7);
    await store.write({ received: updates });
    const doc = new Y.Doc();
    let read = 0;
    for await (const update of (await store.read()).updates) {
      Y.applyUpdate(doc, update);
      read += 1;
      if (read === 5) await store.compact();
    }
    expect(doc.getText().toJSON()).toBe(shown);
  });

  test("[L34] compacting twice at once and again loses nothing", async () => {
    const store = await newStore();
    const { updates, shown } = wasteful(7);
    await store.write({ received: updates });
    await Promise.all([store.compact(), store.compact()]);
    expect(await shownIn(store)).toBe(shown);
    await store.write({ received: wasteful(8).updates });
    await store.compact();
    expect(await shownIn(store)).toHaveLength(2 * shown.length);
  });

  test("[L34] [L35] what was read for a compaction never comes back when it is replaced meanwhile", async () => {
    const second = wasteful(8);
    const replacement = { own: [], position: { epoch: "two", seq: 2 }, clients: [] };
    // At different moments of the compaction: no driver takes the same number of turns.
    for (const turns of [0, 1, 10, 100]) {
      const store = await newStore();
      await store.write({ received: wasteful(7).updates });
      const compacting = codeOf(store.compact());
      for (let turn = 0; turn < turns; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      await store.replace({ ...replacement, updates: second.updates });
      expect(["none", "replaced"]).toContain(await compacting);
      expect(await shownIn(store)).toBe(second.shown);
    }
  });

  test("[L36] a replica that can't be compacted is left as it is", async () => {
    const store = await newStore();
    const noUpdate = new Uint8Array(300_000).fill(255);
    await store.write({ received: [noUpdate], own: [bytes("own")] });
    const before = await contentsOf(store);
    expect(await codeOf(store.compact())).toBe("failed");
    expect(await contentsOf(store)).toEqual(before);
  });
}
