import { setImmediate as yieldNow } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { payingOutline } from "../../src/charges/payer.ts";
import type { Author } from "../../src/documents/replica/author.ts";
import { newOutlineId } from "../../src/core/node-key.ts";
import { marksOf } from "../../src/core/schema.ts";
import { Documents } from "../../src/documents/documents.ts";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import { type Turn, Turns } from "../../src/documents/turns/turns.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import { slowClock } from "../support/slow-clock.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { outlineDoc } from "./support/random-edits.ts";

describe("turns", () => {
  /** Work that takes `ms`, and says when it is done. */
  function worker() {
    let now = 0;
    const turns = new Turns({ yieldNow: () => yieldNow() }, () => now);
    const done: string[] = [];
    const parties = new Map<string, Turn>();
    const work = (party: string, ms: number, name = party): Promise<void> => {
      const turn = parties.get(party) ?? turns.join(payingOutline(party), "work");
      parties.set(party, turn);
      return turn.take(() => {
        now += ms;
        done.push(name);
      });
    };
    return { turns, done, work, pass: (ms: number) => (now += ms) };
  }

  test("[P79] all that there is time for is done in one turn, and the rest in the next ones", async () => {
    const { done, work } = worker();
    const all = Promise.all(["a", "b", "c", "d"].map((party) => work(party, 1.5)));
    expect(done).toEqual([]);
    await yieldNow();
    expect(done).toEqual(["a", "b", "c"]);
    await all;
    expect(done).toEqual(["a", "b", "c", "d"]);
  });

  test("[P79] parties have their turns one after the other, however much each has to do", async () => {
    const { done, work } = worker();
    const all = Promise.all([
      ...Array.from({ length: 100 }, (_, index) => work("a", 8, `a${index}`)),
      work("b", 8),
      work("c", 8),
    ]);
    await all;
    expect(done.slice(0, 5)).toEqual(["a0", "b", "c", "a1", "a2"]);
  });

  test("[P79] all that is done for one payer has one part, whoever does it", async () => {
    const { turns, pass } = worker();
    const done: string[] = [];
    const join = (payer: string) => {
      const turn = turns.join(payingOutline(payer), "work");
      return (name: string) => turn.take(() => void (pass(8), done.push(name)));
    };
    const [writes, requests, other] = [join("anna"), join("anna"), join("bert")];
    await Promise.all([writes("w0"), requests("r0"), writes("w1"), requests("r1"), other("b0")]);
    expect(done).toEqual(["w0", "b0", "r0", "w1", "r1"]);
  });

  test("[P79] a share is a part of the turn, and as much of it as the others leave", async () => {
    const { turns, pass } = worker();
    const shares: Record<string, number> = {};
    const measured = (party: string): Promise<void> => {
      const turn = turns.join(payingOutline(party), "work");
      return turn.take(() => {
        let took = 0;
        for (; !turn.isOver && took < 100; took++) pass(1);
        shares[party] = took;
      });
    };
    await measured("alone");
    await Promise.all([measured("one"), measured("other")]);
    await Promise.all([
      turns.join(payingOutline("idle"), "work").take(() => undefined),
      measured("busy"),
    ]);
    expect(shares).toEqual({ alone: 4, one: 2, other: 2, busy: 4 });
  });

  test("[P79] a share is as long as what its work takes however little it does", async () => {
    const { turns, pass } = worker();
    const turn = turns.join(payingOutline("a"), "work");
    const shareWith = (fixedMs: number): Promise<number> =>
      turn.take(() => {
        let took = 0;
        for (; !turn.isOver && took < 100; took++) pass(1);
        return took;
      }, fixedMs);
    expect(await shareWith(2)).toBe(4);
    expect(await shareWith(30)).toBe(30);
  });

  test("[P79] who takes long at once rests until others had twice as much, whoever of them it is", async () => {
    const { done, work } = worker();
    const all = ["slow", "as slow"].map(async (party) => {
      for (let count = 0; count < 2; count++) await work(party, 50);
    });
    // Each asks when it is done, as who waits for the disk does.
    const quick = async (): Promise<void> => {
      for (let count = 0; count < 80; count++) await work("quick", 5);
    };
    await Promise.all([...all, quick()]);
    const slowAt = done.flatMap((name, index) => (name === "quick" ? [] : [index]));
    expect(slowAt.map((index) => done[index])).toEqual(["slow", "as slow", "slow", "as slow"]);
    // The first two are not known to be slow; 200 ms are 40 of the quick.
    const [first = 0, second = 0, third = 0, fourth = 0] = slowAt;
    expect(second - first).toBeLessThanOrEqual(2);
    expect(third - second).toBeGreaterThanOrEqual(40);
    expect(fourth - third).toBeGreaterThanOrEqual(20);
  });

  test("[P79] who takes long at once rests for nobody while others have nothing to do", async () => {
    const { done, work, pass } = worker();
    await work("quick", 1);
    pass(1_000);
    await work("slow", 50);
    const again = work("slow", 50, "again");
    let turns = 0;
    for (; done.length < 3; turns++) await yieldNow();
    await again;
    expect(turns).toBeLessThan(5);
  });

  test("[P79] a rest ends on a clock that stands, too", async () => {
    const { done, work } = worker();
    await work("quick", 1);
    await work("slow", 20);
    await work("slow", 20, "again");
    expect(done).toEqual(["quick", "slow", "again"]);
  });

  test("[P79] what throws ends with its error, and nothing else does", async () => {
    const { turns, work, done } = worker();
    const failing = turns.join(payingOutline("failing"), "work").take(() => {
      throw new TypeError("a defect");
    });
    const after = work("b", 1);
    await expect(failing).rejects.toThrow(TypeError);
    await after;
    await work("a", 1);
    expect(done).toEqual(["b", "a"]);
  });
});

describe("updates from outside", () => {
  /** Updates of one device, each of a mark. */
  function updates(client: number, count: number): readonly Uint8Array[] {
    const made: Uint8Array[] = [];
    const device = outlineDoc(client);
    device.on("update", (update: Uint8Array) => made.push(update));
    for (let index = 0; index < count; index++) marksOf(device).push([1_700_000_000 + index]);
    return made;
  }

  function author(keyId: string): Author {
    return { keyId, session: {} };
  }

  /** Opens outlines where judging an update takes `ms` on the clock. */
  async function opened(count: number, ms: number): Promise<readonly OutlineDocument[]> {
    const documents = new Documents({
      log: new MemoryStore().log,
      now: () => 1_800_000_000_000,
      elapsed: slowClock(ms),
      random: Math.random,
      timers: new ManualClock(),
    });
    return Promise.all(
      Array.from({ length: count }, async () => {
        const { document } = await documents.open(newOutlineId(Math.random));
        return document;
      }),
    );
  }

  /** Counts turns of the event loop until `work` has ended. */
  async function turnsOf(work: Promise<unknown>): Promise<number> {
    const ended = new AbortController();
    void work.finally(() => ended.abort());
    let count = 0;
    for (; !ended.signal.aborted; count++) await yieldNow();
    return count;
  }

  test("[P79] a thousand of one outline hold up those of another for one turn, not for all", async () => {
    const [one, other] = await opened(2, 1);
    if (one === undefined || other === undefined) throw new Error("not opened");
    const ann = author("ann");
    let judged = 0;
    const flood = Promise.all(
      updates(900, 1_000).map(async (update) => {
        const receipt = await one.receive(update, ann);
        judged++;
        return receipt.kind;
      }),
    );
    const [edit = new Uint8Array()] = updates(901, 1);
    expect(await turnsOf(other.receive(edit, author("ben")))).toBeLessThanOrEqual(2);
    expect(judged).toBeLessThan(20);
    expect(new Set(await flood)).toEqual(new Set(["applied"]));
  });

  test("[P79] a thousand of one session hold up another's of the same outline for one update", async () => {
    const [document] = await opened(1, 1);
    if (document === undefined) throw new Error("not opened");
    const ann = author("ann");
    const order: string[] = [];
    const flood = updates(900, 1_000).map(async (update, index) => {
      await document.receive(update, ann);
      order.push(`ann ${index}`);
    });
    const edits = updates(901, 3).map(async (update, index) => {
      await document.receive(update, author("ben"));
      order.push(`ben ${index}`);
    });
    await Promise.all(edits);
    expect(order.filter((each) => each.startsWith("ben"))).toEqual(["ben 0", "ben 1", "ben 2"]);
    expect(order.length).toBeLessThan(20);
    await Promise.all(flood);
    expect(order.filter((each) => each.startsWith("ann"))).toEqual(
      Array.from({ length: 1_000 }, (_, index) => `ann ${index}`),
    );
  });

  test("[P79] requests' writes share the turns: not all of twenty outlines' are in one", async () => {
    const documents = await opened(20, 3);
    let begun = 0;
    const all = Promise.all(documents.map((document) => document.write(() => begun++)));
    await yieldNow();
    expect(begun).toBeGreaterThan(0);
    expect(begun).toBeLessThan(5);
    await all;
    expect(begun).toBe(20);
  });

  test("[P79] dated and undated edits that alternate do not take a turn each", async () => {
    const [document] = await opened(1, 0.01);
    if (document === undefined) throw new Error("not opened");
    const stock = outlineDoc(902);
    const undated: Uint8Array[] = [];
    stock.on("update", (update: Uint8Array) => undated.push(update));
    for (let index = 0; index < 50; index++) stock.getMap("meta").set("weekStart", index % 7);
    const [ann, ben] = [author("ann"), author("ben")];
    const all = Promise.all([
      ...updates(900, 50).map((update) => document.receive(update, ann)),
      ...undated.map((update) => document.receive(update, ben)),
    ]);
    expect(await turnsOf(all)).toBeLessThan(10);
  });

  test("[S45] what clients of all outlines send shares a turn's time, and each outline's keeps its order", async () => {
    const documents = await opened(2, 2);
    const seen: string[] = [];
    const sent = Promise.all(
      documents.map(async (document, at) => {
        const ann = author("ann");
        return Promise.all(
          updates(900, 20).map(async (update, index) => {
            const { kind } = await document.receive(update, ann);
            seen.push(`${at} ${index}`);
            return kind;
          }),
        );
      }),
    );
    expect(await turnsOf(sent)).toBeGreaterThan(8);
    expect(new Set((await sent).flat())).toEqual(new Set(["applied"]));
    for (const at of [0, 1]) {
      expect(seen.filter((each) => each.startsWith(`${at} `))).toEqual(
        Array.from({ length: 20 }, (_, index) => `${at} ${index}`),
      );
    }
  });
});
