import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { newOutlineId, ROOT } from "../../src/core/node-key.ts";
import { marksOf, nodesOf } from "../../src/core/schema.ts";
import { Deferred } from "../../src/documents/turns/deferred.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";
import type { Fault } from "./support/faulty-log.ts";
import { fullUpdate, outlineDoc } from "./support/random-edits.ts";
import {
  addNode,
  codeOf,
  durableNames,
  Follower,
  namesIn,
  stateOf,
  turns,
  type Workshop,
  workshop,
} from "./support/workshop.ts";

const ANN = { keyId: "ann", session: {} };

const QUICK_TIMEOUTS = { appendTimeoutMs: 200, loadTimeoutMs: 200, snapshotTimeoutMs: 200 };

/** Everything that is open, with a follower. */
async function opened(shop: Workshop) {
  const follower = new Follower();
  const { document } = await shop.documents.open(shop.id);
  document.subscribe(follower);
  return { document, follower };
}

describe("an append that fails", () => {
  test("[P55] is told to all who wait and to all who follow, and the log is read again", async () => {
    const shop = workshop();
    const { document, follower } = await opened(shop);
    await addNode(document, "durable");
    shop.log.hold();
    shop.log.fault = "fail";
    const inFlight = addNode(document, "in flight");
    await turns();
    const behind = addNode(document, "behind");
    const received = await document.receive(fullUpdate(marked(900)), ANN);
    if (received.kind !== "applied") throw new Error(received.kind);
    shop.log.release();
    expect(await Promise.all([inFlight, behind, received.durable].map(stateOf))).toEqual([
      "rejected unavailable",
      "rejected unavailable",
      "rejected unavailable",
    ]);
    expect(follower.losses).toEqual(["store"]);
    shop.log.recover();
    await shop.clock.advance(1_000);
    const again = await shop.documents.open(shop.id);
    expect(await again.document.read(namesIn)).toEqual(["durable"]);
    expect(shop.log.appends).toHaveLength(2);
    expect(shop.happened).toEqual(["load", "evict lost", "load"]);
  });

  test("[P55] though it happened, is found in the log afterwards", async () => {
    const shop = workshop();
    const { document } = await opened(shop);
    shop.log.fault = "lie";
    expect(await stateOf(addNode(document, "there"))).toBe("rejected unavailable");
    shop.log.recover();
    await shop.clock.advance(1_000);
    const again = await shop.documents.open(shop.id);
    expect(await again.document.read(namesIn)).toEqual(["there"]);
    expect(await stateOf(addNode(again.document, "next"))).toBe("resolved");
    expect(await durableNames(shop)).toEqual(["next", "there"]);
  });

  test("[P56] that never answers counts as failed after a while", async () => {
    const shop = workshop({ appendTimeoutMs: 5_000 });
    const { document, follower } = await opened(shop);
    shop.log.fault = "hang";
    const written = addNode(document, "hanging");
    await shop.clock.advance(4_900);
    expect(await stateOf(written)).toBe("pending");
    await shop.clock.advance(400);
    expect([await stateOf(written), follower.losses]).toEqual(["rejected unavailable", ["store"]]);
  });

  test("[P56] and happens after all, behind the back of the next replica, harms nothing", async () => {
    const shop = workshop({ appendTimeoutMs: 5_000 });
    const { document } = await opened(shop);
    shop.log.fault = "hang";
    const hanging = addNode(document, "hanging").catch(codeOf);
    await shop.clock.advance(5_400);
    expect(await hanging).toBe("unavailable");
    // The store answers others again, while the first append is still on its way.
    shop.log.fault = "work";
    await shop.clock.advance(10_000);
    const second = await shop.documents.open(shop.id);
    await addNode(second.document, "second");
    shop.log.recover();
    await turns();
    // The log ends further on than it should: what is acknowledged is there, and it is read again.
    expect(await stateOf(addNode(second.document, "third"))).toBe("resolved");
    const third = await shop.documents.open(shop.id);
    expect(third.document).not.toBe(second.document);
    expect(await third.document.read(namesIn)).toEqual(["hanging", "second", "third"]);
    expect(await durableNames(shop)).toEqual(["hanging", "second", "third"]);
  });

  test("[P56] a snapshot may take its time: it is many writes, and nobody waits for it", async () => {
    const shop = workshop({ minCompactionBytes: 3_000, snapshotTimeoutMs: 60_000 });
    const { document } = await opened(shop);
    const save = shop.log.saveSnapshot.bind(shop.log);
    const slow = new Deferred<void>();
    let asked = 0;
    shop.log.saveSnapshot = async (...snapshot) => {
      asked += 1;
      await slow.promise;
      return save(...snapshot);
    };
    for (let index = 0; index < 100; index++) await addNode(document, `node ${index}`);
    await shop.clock.advance(50_000);
    expect(asked).toBe(1);
    expect(await stateOf(addNode(document, "meanwhile"))).toBe("resolved");
    slow.resolve();
    await turns();
    expect(shop.happened).toEqual(["load", "compaction"]);
  });

  test("[P61] a snapshot that is never saved says nothing about the store, and is tried again", async () => {
    const shop = workshop({ minCompactionBytes: 3_000, snapshotTimeoutMs: 60_000 });
    const { document } = await opened(shop);
    let asked = 0;
    shop.log.saveSnapshot = () => {
      asked++;
      return new Promise(() => undefined);
    };
    const addMany = async (): Promise<void> => {
      for (let index = 0; index < 300; index++) await addNode(document, `node ${index}`);
    };
    await addMany();
    await shop.clock.advance(59_000);
    expect(asked).toBe(1);
    await shop.clock.advance(1_050);
    expect(shop.documents.stats().isStoreWorking).toBe(true);
    await addMany();
    expect(asked).toBe(2);
  });

  test("[P57] no client id is used again that a lost append may have used", async () => {
    const shop = workshop();
    const { document } = await opened(shop);
    await addNode(document, "first");
    const idsBefore = [...Y.decodeStateVector(document.stateVector()).keys()];
    shop.log.fault = "fail";
    expect(await stateOf(addNode(document, "lost"))).toBe("rejected unavailable");
    shop.log.recover();
    await shop.clock.advance(1_000);
    const again = await shop.documents.open(shop.id);
    await addNode(again.document, "second");
    const ids = [...Y.decodeStateVector(again.document.stateVector()).keys()];
    expect([idsBefore.length, ids.length]).toEqual([1, 2]);
  });
});

function marked(clientId: number): Y.Doc {
  const doc = outlineDoc(clientId);
  marksOf(doc).push([1]);
  return doc;
}

describe("while the store fails", () => {
  test("[P58] opens and writes are refused at once, and reads of what is durable are answered", async () => {
    const shop = workshop();
    const { documents, log } = shop;
    const other = newOutlineId(seededRandom(5));
    const healthy = await documents.open(other);
    await addNode(healthy.document, "here");
    const { document } = await opened(shop);
    log.fault = "fail";
    await stateOf(addNode(document, "lost"));
    const loads = log.loads;
    const appends = log.appends.length;
    const follower = new Follower();
    documents.subscribe(other, follower);
    const states = [
      documents.open(newOutlineId(seededRandom(6))),
      addNode(healthy.document, "refused"),
      healthy.document.bulk(function* () {}),
    ].map(stateOf);
    expect(await Promise.all(states)).toEqual(states.map(() => "rejected unavailable"));
    const received = await healthy.document.receive(fullUpdate(marked(900)), ANN);
    if (received.kind !== "applied") throw new Error(received.kind);
    expect(await stateOf(received.durable)).toBe("rejected unavailable");
    expect(follower.losses).toEqual(["store"]);
    expect(await healthy.document.read(namesIn)).toEqual(["here"]);
    expect([log.loads, log.appends.length]).toEqual([loads, appends]);
    expect(documents.stats().isStoreWorking).toBe(false);
  });

  test("[P59] it is probed until it works, and then everything goes on by itself", async () => {
    const shop = workshop();
    const { documents, log, clock, id } = shop;
    const { document } = await opened(shop);
    log.fault = "fail";
    await stateOf(addNode(document, "lost"));
    await clock.advance(30_000);
    expect(await stateOf(documents.open(id))).toBe("rejected unavailable");
    log.recover();
    await clock.advance(2_100);
    expect(await stateOf(documents.use(id, (again) => addNode(again, "back")))).toBe("resolved");
    expect(documents.stats().isStoreWorking).toBe(true);
  });
});

describe("whatever the store does", () => {
  const FAULTS: readonly Fault[] = ["work", "work", "fail", "lie", "hang"];

  test("[P60] what was acknowledged is there after a restart, and nothing that was never asked for", async () => {
    let acknowledged = 0;
    let rejected = 0;
    for (let seed = 1; seed <= 25; seed++) {
      const random = seededRandom(seed);
      const shop = workshop(QUICK_TIMEOUTS, seed);
      const { documents, log, clock, id } = shop;
      const asked = new Set<string>();
      const promised = new Set<string>();
      const follower = new Follower();
      documents.subscribe(id, follower);
      const note = (name: string, done: Promise<unknown>): void => {
        asked.add(name);
        done.then(
          () => promised.add(name),
          () => rejected++,
        );
      };
      const device = outlineDoc(2_000 + seed);
      for (let step = 0; step < 60; step++) {
        const name = `s${seed} n${step}`;
        const roll = random();
        if (roll < 0.5) {
          note(
            name,
            documents.use(id, (document) => addNode(document, name)),
          );
        } else if (roll < 0.7) {
          const text = new Y.Text(name);
          nodesOf(device).set((0xa00000000000 + step).toString(16), text);
          note(
            name,
            documents.use(id, async (document) => {
              const receipt = await document.receive(fullUpdate(device), ANN);
              if (receipt.kind !== "applied") throw new Error(receipt.kind);
              return receipt.durable;
            }),
          );
        } else if (roll < 0.8) {
          log.recover();
          log.fault = oneOf(random, FAULTS);
        } else if (roll < 0.9) {
          await clock.advance(integerBelow(random, 400));
        } else {
          await turns(integerBelow(random, 4));
        }
      }
      log.recover();
      await clock.advance(10_000);
      const restarted = shop.again();
      const { document } = await restarted.open(id);
      const found = new Set<string>(
        [...nodesOf(document.outline.doc).values()].map((text) => text.toJSON()),
      );
      for (const name of promised) expect(found.has(name), `seed ${seed}: ${name}`).toBe(true);
      for (const name of found) expect(asked.has(name), `seed ${seed}: ${name}`).toBe(true);
      acknowledged += promised.size;
      // The replica that survived all this is the one that the log makes.
      const survivor = await documents.open(id);
      expect(survivor.document.stateVector(), `seed ${seed}`).toEqual(document.stateVector());
    }
    expect(Math.min(acknowledged, rejected)).toBeGreaterThan(100);
  });

  test("[P60] followers are told only what is in the log, and of every loss", async () => {
    for (let seed = 1; seed <= 15; seed++) {
      const random = seededRandom(seed);
      const shop = workshop(QUICK_TIMEOUTS, seed);
      const { documents, log, clock, id, store } = shop;
      const follower = new Follower();
      documents.subscribe(id, follower);
      let losses = 0;
      for (let step = 0; step < 40; step++) {
        const roll = random();
        if (roll < 0.6) {
          await documents
            .use(id, (document) =>
              document.write((outline) => outline.create({ parent: ROOT, name: `n${step}` })),
            )
            .catch(() => losses++);
        } else if (roll < 0.8) {
          log.fault = oneOf(random, ["work", "work", "fail", "lie"]);
        } else {
          await clock.advance(3_000);
        }
      }
      const stored = (await store.log.load(id)).updates.map(({ update }) => update);
      for (const { updates, head } of follower.batches) {
        const from = head - updates.length;
        expect(stored.slice(from, head), `seed ${seed}`).toEqual(updates);
      }
      if (losses > 0) expect(follower.losses.length, `seed ${seed}`).toBeGreaterThan(0);
    }
  });
});
