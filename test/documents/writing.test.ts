import { describe, expect, test } from "vitest";
import { ROOT } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { slowClock } from "../support/slow-clock.ts";
import {
  addNode,
  durableNames,
  Follower,
  namesIn,
  stateOf,
  turns,
  workshop,
} from "./support/workshop.ts";

describe("writes", () => {
  test("[P40] resolve when they are durable and not before", async () => {
    const shop = workshop();
    const { document } = await shop.documents.open(shop.id);
    shop.log.hold();
    const written = addNode(document, "node");
    expect([await stateOf(written), await durableNames(shop)]).toEqual(["pending", []]);
    shop.log.release();
    await written;
    expect(await durableNames(shop)).toEqual(["node"]);
  });

  test("[P40] of one turn share a transaction, and those that come during an append the next", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    await Promise.all(["a", "b", "c"].map((name) => addNode(document, name)));
    expect(log.appends.map(({ append }) => append.updates.length)).toEqual([1]);
    log.hold();
    const written = [addNode(document, "d")];
    await turns();
    written.push(addNode(document, "e"), addNode(document, "f"));
    await turns();
    written.push(addNode(document, "g"));
    await turns();
    log.release();
    await Promise.all(written);
    expect(log.appends.map(({ append }) => append.updates.length)).toEqual([1, 1, 2]);
    expect(document.head).toBe(4);
    expect(await document.read(namesIn)).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  });

  test("[P40] of one turn see each other, in their order", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    const counts = Array.from({ length: 3 }, () =>
      document.write((outline) => {
        outline.create({ parent: ROOT, name: "node" });
        return outline.size;
      }),
    );
    expect(await Promise.all(counts)).toEqual([1, 2, 3]);
  });

  test("[P40] of one turn leave turns for others between them when there are many", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    const done: number[] = [];
    let turn = 0;
    const written = Array.from({ length: 40 }, () =>
      document.write((outline) => {
        outline.create({ parent: ROOT, name: "node" });
        done.push(turn);
      }),
    );
    for (; done.length < 40; turn++) await turns(1);
    await Promise.all(written);
    expect(new Set(done).size).toBe(3);
    expect(log.appends.flatMap(({ append }) => append.updates).length).toBe(3);
  });

  test("[P36] that wait for the end of the turn are done before the documents close", async () => {
    const shop = workshop();
    const { document } = await shop.documents.open(shop.id);
    const written = addNode(document, "last");
    await shop.documents.close();
    await written;
    expect(await durableNames(shop)).toEqual(["last"]);
  });

  test("[P40] that change nothing append nothing, and wait for what they saw", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    const nothing = (): Promise<string> => document.write(() => "seen");
    expect(await nothing()).toBe("seen");
    expect(log.appends).toEqual([]);
    log.hold();
    const written = addNode(document, "node");
    expect(await stateOf(nothing())).toBe("pending");
    log.release();
    expect([await stateOf(written), log.appends.length]).toEqual(["resolved", 1]);
  });

  test("[P41] a read resolves when all it saw is durable", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    await addNode(document, "durable");
    expect(await document.read(namesIn)).toEqual(["durable"]);
    log.hold();
    const written = addNode(document, "pending");
    const read = document.read(namesIn);
    expect(await stateOf(read)).toBe("pending");
    log.release();
    await written;
    expect(await read).toEqual(["durable", "pending"]);
  });

  test("[P41] a read of what does not become durable is refused, not answered", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    log.hold();
    log.fault = "fail";
    const asked = [addNode(document, "lost"), document.read(namesIn)];
    await turns();
    log.release();
    expect(await Promise.all(asked.map(stateOf))).toEqual([
      "rejected unavailable",
      "rejected unavailable",
    ]);
  });

  test("[P41] reads are answered however much is written meanwhile", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    const end = new AbortController();
    const writing = (async () => {
      for (let index = 0; !end.signal.aborted; index++) await addNode(document, `node ${index}`);
    })();
    for (let reads = 0; reads < 20; reads++) await document.read(namesIn);
    end.abort();
    await writing;
    expect((await document.read(namesIn)).length).toBeGreaterThan(10);
  });
});

describe("a write that throws", () => {
  const failing = (outline: Outline): never => {
    outline.create({ parent: ROOT, name: "half" });
    throw new TypeError("a defect");
  };

  test("[P42] leaves nothing behind, and nobody else loses anything", async () => {
    const shop = workshop();
    const { documents, id, log } = shop;
    const { document } = await documents.open(id);
    const follower = new Follower();
    document.subscribe(follower);
    log.hold();
    const before = addNode(document, "before");
    await turns();
    const alongside = documents.write(id, (outline) =>
      outline.create({ parent: ROOT, name: "alongside" }),
    );
    const failed = document.write(failing).catch((error: unknown) => String(error));
    await turns(1);
    const reopened = documents.open(id);
    expect(await stateOf(reopened)).toBe("pending");
    log.release();
    expect([await stateOf(before), await stateOf(alongside), await failed]).toEqual([
      "resolved",
      "resolved",
      "TypeError: a defect",
    ]);
    expect(await (await reopened).document.read(namesIn)).toEqual(["alongside", "before"]);
    expect(follower.losses).toEqual(["error"]);
    expect(follower.batches.flatMap(({ updates }) => updates)).toHaveLength(2);
    expect(await stateOf(document.read(namesIn))).toBe("rejected unavailable");
  });

  test("[P42] takes none of those along that share its turn, and no part of it stays", async () => {
    const shop = workshop();
    const { documents, id } = shop;
    const create = (name: string) => (outline: Outline) => outline.create({ parent: ROOT, name });
    await documents.use(id, () => undefined);
    const asked = [create("one"), failing, create("two"), failing, create("three")].map((fn) =>
      stateOf(documents.write(id, fn)),
    );
    expect(await Promise.all(asked)).toEqual([
      "resolved",
      "rejected TypeError: a defect",
      "resolved",
      "rejected TypeError: a defect",
      "resolved",
    ]);
    expect(await durableNames(shop)).toEqual(["one", "three", "two"]);
  });

  test("[P42] before it has changed anything harms nobody", async () => {
    const { documents, id, happened } = workshop();
    const { document } = await documents.open(id);
    const alongside = document.write(({ size }) => size);
    await expect(document.write(() => failingAtOnce())).rejects.toThrow(TypeError);
    expect([await alongside, await stateOf(addNode(document, "after"))]).toEqual([0, "resolved"]);
    expect(happened).toEqual(["load"]);
  });
});

function failingAtOnce(): never {
  throw new TypeError("a defect");
}

describe("bulk work", () => {
  function* addMany(outline: Outline, count: number): Generator<void, string> {
    for (let index = 0; index < count; index++) {
      outline.create({ parent: ROOT, name: `node ${index}` });
      if (index % 10 === 0) yield;
    }
    return "done";
  }

  test("[P43] becomes durable in one append, and nobody sees a part of it", async () => {
    const shop = workshop({}, 1, slowClock(1));
    const { documents, id, log } = shop;
    const { document } = await documents.open(id);
    await addNode(document, "before");
    const sizes: number[] = [];
    const bulk = document.bulk(function* (outline) {
      const work = addMany(outline, 3_000);
      for (let step = work.next(); step.done !== true; step = work.next()) {
        sizes.push(outline.size);
        yield;
      }
      return "done";
    });
    const read = document.read(namesIn);
    const written = addNode(document, "after");
    expect(await bulk).toBe("done");
    expect(await read).toHaveLength(3_001);
    await written;
    expect(log.appends.map(({ append }) => append.updates.length > 1)).toEqual([
      false,
      true,
      false,
    ]);
    expect(await durableNames(shop)).toHaveLength(3_002);
    expect(sizes.length).toBeGreaterThan(100);
  });

  test("[P43] leaves the event loop to others", async () => {
    const { documents, id, clock } = workshop({}, 1, slowClock(1));
    const { document } = await documents.open(id);
    let count = 0;
    const end = new AbortController();
    const bulk = document.bulk((outline) => addMany(outline, 5_000)).then(() => end.abort());
    while (!end.signal.aborted) {
      await clock.yieldNow();
      count++;
    }
    await bulk;
    expect(count).toBeGreaterThan(5);
  });

  test("[P43] that throws leaves nothing, and those who waited find the outline as before", async () => {
    const shop = workshop();
    const { documents, id, log } = shop;
    const { document } = await documents.open(id);
    await addNode(document, "before");
    const bulk = document.bulk(function* (outline) {
      yield* addMany(outline, 5_000);
      throw new TypeError("a defect");
    });
    const read = documents.use(id, (opened) => opened.read(namesIn));
    await expect(bulk).rejects.toThrow(TypeError);
    expect(await stateOf(read)).toBe("rejected unavailable");
    expect(log.appends).toHaveLength(1);
    expect(await documents.use(id, (opened) => opened.read(namesIn))).toEqual(["before"]);
  });

  test("[P43] that refuses without having changed anything harms nobody", async () => {
    const { documents, id, happened } = workshop();
    const { document } = await documents.open(id);
    await expect(
      document.bulk(function* () {
        yield;
        failingAtOnce();
      }),
    ).rejects.toThrow(TypeError);
    expect(await stateOf(addNode(document, "after"))).toBe("resolved");
    expect(happened).toEqual(["load"]);
  });

  test("[P43] one after the other, never two at once", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    let running = 0;
    const work = function* (outline: Outline): Generator<void, void> {
      expect(++running).toBe(1);
      yield* addMany(outline, 200);
      running--;
    };
    await Promise.all([document.bulk(work), document.bulk(work), document.bulk(work)]);
    expect(log.appends).toHaveLength(3);
    expect(await document.read((outline) => outline.size)).toBe(600);
  });
});
