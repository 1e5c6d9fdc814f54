import { expect, test } from "vitest";
import * as Y from "yjs";
import { ROOT, type NodeKey } from "../../src/core/node-key.ts";
import type { OutlineLimits } from "../../src/core/room/outline-room.ts";
import { nodesOf } from "../../src/core/schema.ts";
import { DEFAULT_DOCUMENT_LIMITS } from "../../src/documents/document-limits.ts";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import { fullUpdate, outlineDoc } from "./support/random-edits.ts";
import { addNode, Follower, workshop } from "./support/workshop.ts";

const ANN = { keyId: "ann", session: {} };
const MIB = 2 ** 20;

function limitsOf(limits: Partial<OutlineLimits>) {
  return { outline: { ...DEFAULT_DOCUMENT_LIMITS.outline, ...limits } };
}

/** A device that has everything. */
function deviceOf(document: OutlineDocument, client = 3_000): Y.Doc {
  const doc = outlineDoc(client);
  Y.applyUpdate(doc, fullUpdate(document.outline.doc));
  return doc;
}

/** What a device does, as the update that it sends. */
function wrote(device: Y.Doc, edit: (doc: Y.Doc) => void): Uint8Array {
  const before = Y.encodeStateVector(device);
  device.transact(() => edit(device));
  return Y.encodeStateAsUpdate(device, before);
}

function textOf(device: Y.Doc, key: NodeKey): Y.Text {
  const text = nodesOf(device).get(key);
  if (text === undefined) throw new Error("no such node");
  return text;
}

/** All of it, as a text that is quick to compare. */
function stateOf(document: OutlineDocument): string {
  return Buffer.from(fullUpdate(document.outline.doc)).toString("base64");
}

function keysIn({ outline }: OutlineDocument): readonly NodeKey[] {
  return outline.childKeys(ROOT);
}

test("[Q61] a node too many is refused, in one transaction with others too, and nothing changes", async () => {
  const { documents, id } = workshop(limitsOf({ maxNodes: 10 }));
  const { document } = await documents.open(id);
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, () =>
      document.write((outline) => outline.create({ parent: ROOT, name: "a" })),
    ),
  );
  expect(outcomes.map(({ kind }) => kind)).toEqual([
    ...Array.from({ length: 10 }, () => "created"),
    "outline_full",
    "outline_full",
  ]);
  const before = stateOf(document);
  const refused = await document.write((outline) =>
    outline.create({ parent: ROOT, name: "a\n\nb\n\nc" }),
  );
  expect(refused).toEqual({ kind: "outline_full", quota: "nodes", has: 10, adds: 3, limit: 10 });
  expect(stateOf(document)).toBe(before);
});

test("[Q61] texts are counted in memory before they are written, in names, notes and what makes days", async () => {
  const { documents, id } = workshop(limitsOf({ maxBytes: 5 * MIB }));
  const { document } = await documents.open(id);
  const long = "a".repeat(MIB);
  await addNode(document, long);
  await addNode(document, long);
  const [key] = keysIn(document);
  if (key === undefined) throw new Error("no node");
  const before = stateOf(document);
  const outcomes = await document.write((outline) => [
    outline.create({ parent: ROOT, name: long }),
    outline.create({ parent: ROOT, name: "x", note: long }),
    outline.update(key, { note: long }),
  ]);
  expect(outcomes).toMatchObject(
    [1, 2, 3].map(() => ({ kind: "outline_full", quota: "bytes", limit: 5 * MIB })),
  );
  expect(stateOf(document)).toBe(before);
});

test("[Q61] an update that adds too much is refused whole, small or large, and changes nothing", async () => {
  const { documents, id } = workshop({
    ...limitsOf({ maxNodes: 100, maxBytes: MIB }),
    maxStructsAtOnce: 50,
  });
  const { document } = await documents.open(id);
  const follower = new Follower();
  document.subscribe(follower);
  const long = wrote(deviceOf(document), (doc) =>
    nodesOf(doc).set("a1b2c3d4e5f6", new Y.Text("a".repeat(MIB))),
  );
  const many = wrote(deviceOf(document, 3_001), (doc) => {
    for (let node = 0; node < 2_000; node++) {
      nodesOf(doc).set(`a1b2c3d4${String(node).padStart(4, "0")}`, new Y.Text("x"));
    }
  });
  expect([await document.receive(long, ANN), await document.receive(many, ANN)]).toMatchObject([
    { kind: "outline_full", quota: "bytes", limit: MIB },
    { kind: "outline_full", quota: "nodes", limit: 100 },
  ]);
  expect([document.head, nodesOf(document.outline.doc).size, follower.batches]).toEqual([0, 0, []]);
});

test("[Q62] a full outline takes what makes it smaller or puts it in order, from everybody", async () => {
  const { documents, id } = workshop(limitsOf({ maxBytes: MIB }));
  const { document } = await documents.open(id);
  while (
    (await document.write((outline) => outline.create({ parent: ROOT, name: "a".repeat(2_000) })))
      .kind === "created"
  );
  const [first, second, third, fourth] = keysIn(document);
  if (!first || !second || !third || !fourth) throw new Error("too few nodes");
  const outcomes = await document.write((outline) => [
    outline.setCompleted(first, true),
    outline.move(first, { parent: second }),
    outline.trash(third, 0),
    outline.restore(third),
    outline.update(first, { name: "short" }),
    outline.remove(fourth),
  ]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => "ok"));

  const device = deviceOf(document);
  const deletes = wrote(device, (doc) => textOf(doc, third).delete(0, 1_000));
  const marks = wrote(device, (doc) => textOf(doc, second).setAttribute("d", "t1"));
  for (const update of [deletes, marks]) {
    expect(await document.receive(update, ANN)).toMatchObject({ kind: "applied" });
  }
  const types = wrote(device, (doc) => textOf(doc, third).insert(0, "b".repeat(100_000)));
  expect(await document.receive(types, ANN)).toMatchObject({ kind: "outline_full" });
});

test("[Q62] upkeep is bounded too: nothing grows for ever", async () => {
  const { documents, id } = workshop(limitsOf({ maxBytes: MIB }));
  const { document } = await documents.open(id);
  while ((await addNodeOf(document, 2_000)) === "created");
  const [key] = keysIn(document);
  if (key === undefined) throw new Error("no node");
  const device = deviceOf(document);
  let count = 0;
  for (let kind = "applied"; kind === "applied"; count++) {
    const update = wrote(device, (doc) => {
      for (let name = 0; name < 20; name++) {
        textOf(doc, key).setAttribute(`z${count}x${name}`, "y".repeat(200));
      }
    });
    ({ kind } = await document.receive(update, ANN));
  }
  expect(document.outline.quota.bytes).toBeLessThan(1.1 * MIB);
  expect(await document.write((outline) => outline.remove(key))).toEqual({ kind: "ok" });
});

function addNodeOf(document: OutlineDocument, characters: number): Promise<string> {
  return document
    .write((outline) => outline.create({ parent: ROOT, name: "a".repeat(characters) }))
    .then(({ kind }) => kind);
}

test("[Q62] what was deleted for good in an outline that is nearly full makes room soon, devices or not", async () => {
  const shop = workshop({ ...limitsOf({ maxNodes: 50 }), purgeEveryMs: 24 * 60 * 60_000 });
  const { document } = await shop.documents.open(shop.id);
  document.subscribe(new Follower());
  for (let node = 0; node < 50; node++) await addNode(document, `node ${node}`);
  const [first, second] = keysIn(document);
  if (!first || !second) throw new Error("no node");
  for (const key of [first, second]) {
    await document.write((outline) => outline.remove(key));
    expect(await addNodeOf(document, 1)).toBe("outline_full");
    await shop.clock.leap(60_000, 10_000);
    expect(await addNodeOf(document, 1)).toBe("created");
  }
});

test("[Q63] an outline that is over its limits opens, is read, and may get smaller only", async () => {
  const shop = workshop();
  const before = await shop.documents.open(shop.id);
  for (let node = 0; node < 300; node++) await addNode(before.document, "a".repeat(1_000));
  await before.document.read(() => undefined);
  const documents = shop.again(limitsOf({ maxNodes: 100, maxBytes: MIB / 4 }));
  const { document } = await documents.open(shop.id);
  expect(await document.read((outline) => outline.size)).toBe(300);
  const [key, other] = keysIn(document);
  if (!key || !other) throw new Error("no node");
  expect(await document.write((outline) => outline.create({ parent: ROOT, name: "x" }))).toEqual(
    expect.objectContaining({ kind: "outline_full", quota: "nodes", has: 300, limit: 100 }),
  );
  const grown = await document.write((outline) =>
    outline.update(key, { note: "more".repeat(999) }),
  );
  expect(grown).toMatchObject({ kind: "outline_full", quota: "bytes" });
  expect(await document.write((outline) => outline.remove(key))).toEqual({ kind: "ok" });
  const update = wrote(deviceOf(document), (doc) => textOf(doc, other).delete(0, 900));
  expect(await document.receive(update, ANN)).toMatchObject({ kind: "applied" });
});
