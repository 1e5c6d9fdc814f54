import { expect, test } from "vitest";
import * as Y from "yjs";

import type { ReplicaStore } from "../../client/lib/store/replica-store.ts";
import {
  bytes,
  codeOf,
  contentsOf,
  shownIn,
  textOf,
  updatesOf,
  wasteful,
  manyKilobytes,
} from "./replica-reading.ts";
import type { Places } from "./replica-store-driver.ts";

/** What is new to a handle. */
async function newsOf(store: ReplicaStore): Promise<readonly string[]> {
  return (await store.readNew()).updates.map(textOf);
}

/** What only stores show that several tabs have open. */
export function replicaHandlesContract({ newPlace }: Places): void {
  test("[L33] a handle reads what others have added since it read, once, and nothing of its own", async () => {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    await one.write({ received: [bytes("a")] });
    expect((await contentsOf(other)).updates).toEqual(["a"]);
    expect(await contentsOf(one)).toMatchObject({ updates: ["a"] });
    await one.write({ own: [bytes("b")] });
    await other.write({ own: [bytes("c")] });
    await one.write({ received: [bytes("d"), bytes("e")] });
    expect(await newsOf(other)).toEqual(["b", "d", "e"]);
    expect(await newsOf(other)).toEqual([]);
    expect(await newsOf(one)).toEqual(["c"]);
    await other.write({ own: [bytes("f")] });
    // Looking at the outbox alone is no reading of the updates.
    expect((await one.read()).outbox).toHaveLength(3);
    expect(await newsOf(one)).toEqual(["f"]);
    expect(await newsOf(other)).toEqual([]);
  });

  test("[L33] with that it reads how the store stands at the same moment", async () => {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    await contentsOf(other);
    const position = { epoch: "one", seq: 7 };
    const clients = [{ client: 5, isKept: true }];
    const [first, second] = await one.write({ own: [bytes("a"), bytes("b")], position, clients });
    await one.write({ settled: first === undefined ? [] : [first] });
    const news = await other.readNew();
    expect(news).toMatchObject({ position, clients: [5] });
    await other.write({ clients: [{ client: 6, isKept: true }] });
    expect((await one.readNew()).clients).toEqual([5, 6]);
    expect(news.outbox.map(({ number, update }) => [number, textOf(update)])).toEqual([
      [second, "b"],
    ]);
    expect(news.updates.map(textOf)).toEqual(["a", "b"]);
  });

  test("[L33] what another handle has compacted before it was read is not missed", async () => {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const { updates, shown } = wasteful(7);
    await one.write({ received: updates.slice(0, 25) });
    const doc = new Y.Doc();
    for (const update of await updatesOf(other)) Y.applyUpdate(doc, update);
    await one.write({ received: updates.slice(25) });
    await one.compact();
    for (const update of (await other.readNew()).updates) Y.applyUpdate(doc, update);
    expect(doc.getText().toJSON()).toBe(shown);
    expect(await newsOf(other)).toEqual([]);
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
    expect(await shownIn(one)).toBe(shown);
    const more = wasteful(8);
    await one.write({ received: more.updates.slice(0, 29) });
    const [last] = more.updates.slice(29);
    await Promise.all([
      one.compact(),
      other.compact(),
      one.write({ received: last === undefined ? [] : [last] }),
    ]);
    expect(await shownIn(other)).toHaveLength(shown.length + more.shown.length);
  });

  test("[L35] a handle may not write to a replica that another has put in place, before it reads it", async () => {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    await one.write({ received: [bytes("a")] });
    await contentsOf(other);
    const position = { epoch: "two", seq: 1 };
    await one.replace({ updates: [bytes("b")], own: [], position, clients: [] });
    expect(await codeOf(other.write({ own: [bytes("c")] }))).toBe("replaced");
    expect(await codeOf(other.readNew())).toBe("replaced");
    expect((await contentsOf(other)).updates).toEqual(["b"]);
    await other.write({ own: [bytes("d")] });
    expect(await newsOf(one)).toEqual(["d"]);
  });

  test("[L35] a reader never gets a part of one replica and a part of another", async () => {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const old = manyKilobytes(7);
    await one.write({ received: old.updates });
    const replacement = { own: [], position: { epoch: "two", seq: 2 }, clients: [] };
    const { updates } = await other.read();
    const read: Uint8Array[] = [];
    const reading = async () => {
      for await (const update of updates) {
        read.push(update);
        if (read.length === 5) {
          await one.replace({ ...replacement, updates: manyKilobytes(8).updates });
        }
      }
    };
    const code = await codeOf(reading());
    expect(["none", "replaced"]).toContain(code);
    expect(read).toEqual(old.updates.slice(0, code === "none" ? undefined : read.length));
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

  test("[L129] a lost store that one handle begins anew is read by the others, and gives no number twice", async () => {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    await contentsOf(one);
    await contentsOf(other);
    const before = [...(await one.write({ own: [bytes("a")] }))];
    // The one that begins anew has not heard of all of them.
    before.push(...(await other.write({ own: [bytes("b"), bytes("c")] })));
    const generation = (await one.read()).generation;
    const told: string[] = [];
    other.onFailure(({ code }) => told.push(code));
    await place.lose();
    expect(await codeOf(one.write({ own: [bytes("d")] }))).toBe("lost");
    expect(await codeOf(other.read())).toBe("lost");
    await one.beginAnew();
    const position = { epoch: "one", seq: 1 };
    const all = { updates: [bytes("a")], own: [bytes("e")], position, clients: [7] };
    const numbers = await one.replace(all);
    expect(Math.min(...numbers)).toBeGreaterThan(Math.max(...before));
    expect(await codeOf(other.write({ own: [bytes("f")] }))).toBe("lost");
    expect(await contentsOf(other)).toMatchObject({ position, clients: [7], updates: ["a", "e"] });
    expect((await other.read()).generation).toBeGreaterThan(generation);
    await other.write({ own: [bytes("g")] });
    expect(await newsOf(one)).toEqual(["g"]);
    await place.lose();
    expect(await codeOf(other.write({ own: [bytes("h")] }))).toBe("lost");
    expect(told).toEqual(["lost", "lost"]);
  });
}
