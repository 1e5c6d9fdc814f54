import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { INBOX, ROOT, type NodeKey } from "../../src/core/node-key.ts";
import { encodePlacement } from "../../src/core/tree/placement.ts";
import { marksOf, nodesOf, shortcutsOf } from "../../src/core/schema.ts";
import type { Author } from "../../src/documents/replica/author.ts";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import type { Receipt } from "../../src/documents/replica/received-updates.ts";
import { expectSame } from "../support/expect-same.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";
import { catchUp } from "./support/catch-up.ts";
import { editAtRandom, fullUpdate, outlineDoc, shownBy } from "./support/random-edits.ts";
import {
  addNode,
  durableNames,
  Follower,
  namesIn,
  stateOf,
  turns,
  workshop,
} from "./support/workshop.ts";

const KEY = "a1b2c3d4e5f6" as NodeKey;
const OTHER = "b1b2c3d4e5f6" as NodeKey;
const THIRD = "c1b2c3d4e5f6" as NodeKey;
const ANN: Author = { keyId: "ann", session: {} };
const BEN: Author = { keyId: "ben", session: {} };

function wrote(clientId: number, edit: (doc: Y.Doc) => void): Uint8Array {
  const doc = outlineDoc(clientId);
  doc.transact(() => edit(doc));
  return fullUpdate(doc);
}

function mark(clientId: number): Uint8Array {
  return wrote(clientId, (doc) => marksOf(doc).push([1_700_000_000]));
}

/** A replica of the document, writing under a client id. */
function replicaOf(document: OutlineDocument, clientId: number): Y.Doc {
  const doc = outlineDoc(clientId);
  catchUp(doc, document);
  return doc;
}

async function durable(receipt: Receipt): Promise<number> {
  if (receipt.kind !== "applied") throw new Error(receipt.kind);
  return receipt.durable;
}

describe("an update from outside", () => {
  test("[P45] is acknowledged when it is durable, and passed on with its author", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    const follower = new Follower();
    document.subscribe(follower);
    log.hold();
    const receipt = await document.receive(mark(900), ANN);
    if (receipt.kind !== "applied") throw new Error(receipt.kind);
    expect([await stateOf(receipt.durable), follower.batches]).toEqual(["pending", []]);
    log.release();
    expect(await receipt.durable).toBe(1);
    expect(follower.batches).toEqual([{ updates: [mark(900)], authors: [ANN], head: 1 }]);
  });

  test.each(["small", "large"])(
    "[A11] that waits is not applied when its author may write no longer: a %s one",
    async (size) => {
      const { documents, id } = workshop(size === "large" ? { maxStructsAtOnce: 1 } : {});
      const { document } = await documents.open(id);
      let isRevoked = false;
      const revoked: Author = { keyId: "lost", session: {}, mayWrite: () => !isRevoked };
      const node = (client: number, key: NodeKey): Uint8Array =>
        wrote(client, (doc) => {
          nodesOf(doc).set(key, new Y.Text("x"));
          marksOf(doc).push([1_700_000_000]);
        });
      const late = document.receive(node(900, KEY), revoked);
      const other = document.receive(node(901, OTHER), BEN);
      isRevoked = true;
      expect(await late).toEqual({ kind: "refused", reason: "read_only" });
      await durable(await other);
      expect(nodesOf(document.outline.doc).has(KEY)).toBe(false);
      expect(nodesOf(document.outline.doc).has(OTHER)).toBe(true);
    },
  );

  test("[P45] what the server makes of it follows in the same append, as its own", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    const follower = new Follower();
    document.subscribe(follower);
    // Two nodes, each in the other: repair writes down where they are shown.
    const update = wrote(900, (doc) => {
      for (const [key, parent] of [
        [KEY, OTHER],
        [OTHER, KEY],
      ] as const) {
        const text = new Y.Text("in a ring");
        nodesOf(doc).set(key, text);
        text.setAttribute("p", encodePlacement({ parent, createdAt: 1, order: "U" }));
      }
    });
    await durable(await document.receive(update, ANN));
    const [batch] = follower.batches;
    expect(batch?.authors.slice(0, 2)).toEqual([ANN, undefined]);
    expect(batch?.updates[0]).toEqual(update);
    expect(log.appends).toHaveLength(1);
  });

  test("[P45] is not applied at all when something before it is missing", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    const doc = outlineDoc(900);
    marksOf(doc).push([1]);
    const stateVector = Y.encodeStateVector(doc);
    marksOf(doc).push([2]);
    const update = Y.encodeStateAsUpdate(doc, stateVector);
    expect(await document.receive(update, ANN)).toEqual({ kind: "missing" });
    expect([document.stateVector(), log.appends]).toEqual([new Uint8Array([0]), []]);
    await durable(await document.receive(fullUpdate(doc), ANN));
    expect(document.head).toBe(1);
  });

  test("[P45] that says nothing new is acknowledged when what it says is durable", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    await durable(await document.receive(mark(900), ANN));
    expect(await durable(await document.receive(mark(900), BEN))).toBe(1);
    log.hold();
    const first = await document.receive(mark(901), ANN);
    const again = await document.receive(mark(901), BEN);
    if (again.kind !== "applied") throw new Error(again.kind);
    expect(await stateOf(again.durable)).toBe("pending");
    log.release();
    await durable(first);
    expect([await again.durable, log.appends.length]).toEqual([2, 2]);
  });

  test("[P45] that the guard refuses leaves nothing, and is told why", async () => {
    const { documents, id, log, happened } = workshop();
    const { document } = await documents.open(id);
    const refusals: [Uint8Array, string][] = [
      [new Uint8Array([1, 2, 3]), "malformed"],
      [wrote(900, (doc) => doc.getMap("nodes").set(KEY, "x")), "not_allowed"],
      [wrote(900, (doc) => nodesOf(doc).set(INBOX, new Y.Text())), "not_allowed"],
      [new Uint8Array(20_000_000), "too_large"],
    ];
    for (const [update, reason] of refusals) {
      expect(await document.receive(update, ANN)).toEqual({ kind: "refused", reason });
    }
    expect([document.stateVector(), log.appends]).toEqual([new Uint8Array([0]), []]);
    expect(happened).toEqual(["load"]);
  });

  test("[P45] hostile names of entries are names like others", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    const update = wrote(900, (doc) => {
      for (const name of ["__proto__", "constructor", "toString"]) shortcutsOf(doc).set(name, KEY);
    });
    await durable(await document.receive(update, ANN));
    expect(await stateOf(addNode(document, "fine"))).toBe("resolved");
    expect(({} as Record<string, unknown>)[KEY]).toBeUndefined();
  });
});

describe("client ids of others", () => {
  test("[P46] what was begun with one key goes on with another of the user, also after a restart", async () => {
    const shop = workshop();
    const { documents, id, again } = shop;
    const { document } = await documents.open(id);
    const doc = outlineDoc(900);
    marksOf(doc).push([1]);
    await durable(await document.receive(fullUpdate(doc), ANN));
    marksOf(doc).push([2]);
    await durable(await document.receive(fullUpdate(doc), BEN));
    const restarted = await again().open(id);
    marksOf(doc).push([3]);
    await durable(await restarted.document.receive(fullUpdate(doc), BEN));
    expect(restarted.document.stateVector()).toEqual(Y.encodeStateVector(doc));
  });

  test("[P46] another key of the user says nothing else under an id than who wrote under it", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    await durable(await document.receive(mark(900), ANN));
    const other = outlineDoc(900);
    marksOf(other).push([2, 3]);
    expect(await document.receive(fullUpdate(other), BEN)).toEqual({
      kind: "refused",
      reason: "conflict",
    });
  });

  test("[P46, A11] a key that may not write goes on with nothing", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    const doc = outlineDoc(900);
    marksOf(doc).push([1]);
    await durable(await document.receive(fullUpdate(doc), ANN));
    marksOf(doc).push([2]);
    const reader: Author = { keyId: "reader", session: {}, mayWrite: () => false };
    expect(await document.receive(fullUpdate(doc), reader)).toEqual({
      kind: "refused",
      reason: "read_only",
    });
  });

  test("[P46] the binding is in the log together with the first update", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    await durable(await document.receive(mark(900), ANN));
    expect(log.appends.map(({ append }) => append.bindings)).toEqual([
      [{ client: 900, holder: { kind: "bound", keyId: "ann" } }],
    ]);
  });

  test("[P46] nobody writes under the server's id, but everybody may send what it wrote", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    await addNode(document, "by the server");
    const [own] = Y.decodeStateVector(document.stateVector()).keys();
    const forger = replicaOf(document, 900);
    expect(await durable(await document.receive(fullUpdate(forger), ANN))).toBe(1);
    forger.clientID = own ?? 0;
    marksOf(forger).push([1]);
    expect(await document.receive(fullUpdate(forger), ANN)).toEqual({
      kind: "refused",
      reason: "foreign_client",
    });
    const unused = workshop();
    const fresh = (await unused.documents.open(unused.id)).document;
    // The first id of an outline is kept for the server before it writes anything.
    expect(await fresh.receive(mark(1), ANN)).toEqual({
      kind: "refused",
      reason: "foreign_client",
    });
  });

  test("[P46] one update can't bind ids without end", async () => {
    const { documents, id } = workshop({ maxNewClients: 3 });
    const { document } = await documents.open(id);
    const doc = outlineDoc(0);
    for (let client = 900; client < 904; client++) Y.applyUpdate(doc, mark(client));
    expect(await document.receive(fullUpdate(doc), ANN)).toEqual({
      kind: "refused",
      reason: "foreign_client",
    });
  });
});

describe("small updates of one turn", () => {
  test("[P78, Q2] share a transaction, are judged in their order, and answered each for itself", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    const follower = new Follower();
    document.subscribe(follower);
    const receipts = await Promise.all([
      document.receive(mark(900), ANN),
      // The first one has taken the id for another key.
      document.receive(
        wrote(900, (doc) => void shortcutsOf(doc).set("a", KEY)),
        BEN,
      ),
      document.receive(mark(901), BEN),
      document.receive(mark(901), BEN),
      document.receive(new Uint8Array([1, 2, 3]), ANN),
    ]);
    expect(
      receipts.map((receipt) => ("reason" in receipt ? receipt.reason : receipt.kind)),
    ).toEqual(["applied", "conflict", "applied", "applied", "malformed"]);
    for (const receipt of receipts) if (receipt.kind === "applied") await receipt.durable;
    expect(log.appends).toHaveLength(1);
    expect(follower.batches).toEqual([
      { updates: [Y.mergeUpdates([mark(900), mark(901)])], authors: [undefined], head: 1 },
    ]);
  });

  test("[P78] what is known only since this turn is not acknowledged before it is durable", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    log.hold();
    const receipts = [document.receive(mark(900), ANN), document.receive(mark(900), BEN)];
    for (const receipt of receipts) expect(await stateOf(durable(await receipt))).toBe("pending");
    log.release();
    for (const receipt of receipts) expect(await durable(await receipt)).toBe(1);
  });

  test("[P78] a client that keeps no time marks has its edits dated, whoever writes beside it", async () => {
    const { documents, id, clock } = workshop();
    const { document } = await documents.open(id);
    await addNode(document, "written by the API");
    const [node] = document.outline.children(ROOT);
    if (node === undefined) throw new Error("there is a node");
    await clock.advance(10 * 60_000);
    const stock = replicaOf(document, 900);
    const before = Y.encodeStateVector(stock);
    nodesOf(stock).get(node.key)?.insert(0, "not ");
    await Promise.all([
      document.receive(mark(901), BEN),
      document.receive(Y.encodeStateAsUpdate(stock, before), ANN),
    ]);
    expect(await document.read((outline) => outline.modifiedAt(node.key))).toBe(
      Math.floor(clock.now() / 1000),
    );
  });
});

describe("large updates from outside", () => {
  function large(): Y.Doc {
    const doc = outlineDoc(900);
    doc.transact(() => {
      for (let index = 0; index < 400; index++) {
        const text = new Y.Text(`node ${index}`);
        nodesOf(doc).set((0xa00000000000 + index).toString(16), text);
        text.setAttribute("p", encodePlacement({ parent: ROOT, createdAt: 1, order: "U" }));
      }
    });
    return doc;
  }

  test("[P47] are applied bit by bit, and are there for others all at once", async () => {
    const shop = workshop({ maxStructsAtOnce: 100 });
    const { documents, id, log } = shop;
    const { document } = await documents.open(id);
    const follower = new Follower();
    document.subscribe(follower);
    const receipt = document.receive(fullUpdate(large()), ANN);
    await shop.clock.yieldNow();
    const read = document.read((outline) => outline.size);
    const between = document.receive(mark(901), BEN);
    await durable(await receipt);
    await durable(await between);
    expect(await read).toBe(400);
    expect(log.appends).toHaveLength(2);
    expect(follower.batches.map(({ updates }) => updates.length > 10)).toEqual([true, false]);
    const replica = outlineDoc(0);
    for (const update of follower.batches.flatMap(({ updates }) => updates)) {
      Y.applyUpdate(replica, update);
      expect(replica.store.pendingStructs).toBe(null);
    }
    expect(nodesOf(replica).size).toBe(400);
    expect(await durableNames(shop)).toHaveLength(400);
  });

  test("[P47] what comes meanwhile waits until they are there, and is judged by them", async () => {
    const { documents, id, clock } = workshop({ maxStructsAtOnce: 100 });
    const { document } = await documents.open(id);
    const receipt = document.receive(fullUpdate(large()), ANN);
    await clock.yieldNow();
    // Under the same client id, at the same clock, with other content: each was fine without the other.
    const other = document.receive(mark(900), BEN);
    const same = document.receive(mark(900), ANN);
    const write = document.write((outline) => outline.size);
    expect([(await receipt).kind, await other, await same, await write]).toEqual([
      "applied",
      { kind: "refused", reason: "conflict" },
      { kind: "refused", reason: "conflict" },
      400,
    ]);
  });

  test("[P47] leave nothing behind when they are refused", async () => {
    const shop = workshop({ maxStructsAtOnce: 100 });
    const { documents, id, log } = shop;
    const { document } = await documents.open(id);
    const doc = large();
    nodesOf(doc).set("no key of a node", new Y.Text("the last struct of all"));
    const receipt = document.receive(fullUpdate(doc), ANN);
    const between = document.receive(mark(900), BEN);
    expect(await receipt).toEqual({ kind: "refused", reason: "not_allowed" });
    // Not even the client id.
    await durable(await between);
    expect([document.outline.size, nodesOf(document.outline.doc).size]).toEqual([0, 0]);
    expect(log.appends).toHaveLength(1);
  });

  test("[P47] are repaired when all of them is there, not as they are in between", async () => {
    const { documents, id } = workshop({ maxStructsAtOnce: 10 });
    const { document } = await documents.open(id);
    const place = (parent: NodeKey, move?: { at: number; from: NodeKey }): string =>
      encodePlacement({
        parent,
        createdAt: 1,
        order: "U",
        ...(move && { move: { at: move.at, from: { parent: move.from, order: "U" } } }),
      });
    const textOf = (doc: Y.Doc, key: NodeKey): Y.Text => nodesOf(doc).get(key) ?? new Y.Text();
    const device = outlineDoc(900);
    const parents = new Map([
      [KEY, ROOT],
      [OTHER, KEY],
      [THIRD, ROOT],
    ]);
    for (const [key, parent] of parents) {
      nodesOf(device).set(key, new Y.Text(key));
      textOf(device, key).setAttribute("p", place(parent));
    }
    await durable(await document.receive(fullUpdate(device), ANN));
    const before = Y.encodeStateVector(device);
    // Out of the node; then, by another device, whose writes come first in the update, the node into it.
    textOf(device, OTHER).setAttribute("p", place(THIRD, { at: 2_000_000, from: KEY }));
    const second = outlineDoc(901);
    Y.applyUpdate(second, fullUpdate(device));
    textOf(second, KEY).setAttribute("p", place(OTHER, { at: 3_000_000, from: ROOT }));
    for (let index = 0; index < 50; index++) textOf(second, KEY).insert(0, "x");
    await durable(await document.receive(Y.encodeStateAsUpdate(second, before), ANN));
    const shown = await document.read(({ tree }) =>
      [KEY, OTHER].map((key) => tree.rowAt(key)?.parent?.key),
    );
    expect(shown).toEqual([OTHER, THIRD]);
  });

  test("[P47] are lost whole when the replica is lost meanwhile", async () => {
    const shop = workshop({ maxStructsAtOnce: 100 });
    const { documents, id, log } = shop;
    const { document } = await documents.open(id);
    const receipt = document.receive(fullUpdate(large()), ANN);
    await shop.clock.yieldNow();
    documents.evictAll("restored");
    const taken = await receipt;
    if (taken.kind !== "applied") throw new Error(taken.kind);
    expect(await stateOf(taken.durable)).toBe("rejected unavailable");
    expect([log.appends.length, await durableNames(shop)]).toEqual([0, []]);
  });
});

describe("updates of many", () => {
  test("[P48] what followers are told makes the same document, in order and without gaps", async () => {
    for (let seed = 1; seed <= 15; seed++) {
      const random = seededRandom(seed);
      const { documents, id } = workshop({ maxStructsAtOnce: 20 }, seed);
      const { document } = await documents.open(id);
      const follower = new Follower();
      document.subscribe(follower);
      const peers = [900, 901, 902].map((client) => ({
        doc: outlineDoc(client),
        author: { keyId: `key ${client}`, session: {} },
      }));
      for (let step = 0; step < 60; step++) {
        const { doc, author } = oneOf(random, peers);
        editAtRandom(doc, random);
        if (random() < 0.3) {
          void document.write((outline) => outline.create({ parent: ROOT, name: `n${step}` }));
        }
        if (random() < 0.5) {
          const { kind } = await document.receive(fullUpdate(doc), author);
          expect(kind, `seed ${seed}`).toBe("applied");
        }
        if (random() < 0.2) await turns(integerBelow(random, 3));
        if (random() < 0.3) await document.read(() => catchUp(doc, document));
      }
      await document.read(() => undefined);
      const replica = outlineDoc(0);
      let head = 0;
      for (const batch of follower.batches) {
        head += batch.updates.length;
        expect(batch.head, `seed ${seed}`).toBe(head);
        for (const update of batch.updates) {
          Y.applyUpdate(replica, update);
          expect(replica.store.pendingStructs, `seed ${seed}`).toBe(null);
        }
      }
      expectSame(shownBy(replica), shownBy(document.outline.doc), `seed ${seed}`);
    }
  });

  test("[P49] damaged updates never throw, are never applied in half and never kept", async () => {
    const random = seededRandom(4);
    const shop = workshop();
    const { documents, id, happened } = shop;
    const outcomes = new Map<string, number>();
    for (let round = 0; round < 10; round++) {
      const { document, release } = await documents.open(id);
      const doc = replicaOf(document, 2 ** 31 + round * 7_919);
      const author: Author = { keyId: "ann", session: {} };
      for (let edits = 0; edits < 20; edits++) editAtRandom(doc, random);
      const stateVector = Y.encodeStateVector(doc);
      editAtRandom(doc, random);
      const sent = [fullUpdate(doc), Y.encodeStateAsUpdate(doc, stateVector)];
      for (let damage = 0; damage < 120; damage++) {
        const bytes = oneOf(random, sent).slice();
        for (let flips = 1 + integerBelow(random, 3); flips > 0; flips--) {
          bytes[integerBelow(random, bytes.length)] = integerBelow(random, 256);
        }
        const before = document.stateVector();
        const { kind } = await document.receive(bytes, author);
        outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
        if (kind !== "applied") expect(document.stateVector()).toEqual(before);
        const { pendingStructs, pendingDs } = document.outline.doc.store;
        expect([pendingStructs, pendingDs]).toEqual([null, null]);
      }
      await document.read(namesIn);
      const [, restarted] = await Promise.all([
        document.read(() => undefined),
        shop.again().use(id, (opened) => opened.read(() => shownBy(opened.outline.doc))),
      ]);
      expectSame(restarted, shownBy(document.outline.doc));
      release();
    }
    expect(happened).toEqual(["load"]);
    for (const kind of ["applied", "missing", "refused"]) {
      // Few are applied: most damage to what is known contradicts it.
      expect(outcomes.get(kind), kind).toBeGreaterThan(5);
    }
  });
});
