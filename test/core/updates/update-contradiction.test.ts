import { expect, test } from "vitest";
import * as Y from "yjs";
import { contradicts as contradictsInSteps } from "../../../src/core/updates/update-contradiction.ts";
import { inspectUpdate } from "../../support/inspect-update.ts";
import { readUpdate } from "../../../src/core/updates/update-reader.ts";
import { integerBelow, seededRandom } from "../../support/seeded-random.ts";

function runToEnd<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

function contradicts(doc: Y.Doc, update: Uint8Array): boolean {
  const limits = { maxStructs: Infinity, maxDeleteRanges: () => Infinity };
  return runToEnd(contradictsInSteps(doc, runToEnd(readUpdate(update, limits)).sections));
}

function docOf(client: number, ...updates: Uint8Array[]): Y.Doc {
  const doc = new Y.Doc();
  for (const update of updates) Y.applyUpdate(doc, update);
  doc.clientID = client;
  return doc;
}

/** What `write` makes of a document, as an update of just that. */
function updateOf(doc: Y.Doc, write: (doc: Y.Doc) => void): Uint8Array {
  const before = Y.encodeStateVector(doc);
  write(doc);
  return Y.encodeStateAsUpdate(doc, before);
}

const text = (doc: Y.Doc): Y.Text => doc.getText("text");

test("[S42] what the document has already, and what it does not have, contradict nothing", () => {
  const doc = docOf(5);
  const first = updateOf(doc, () => text(doc).insert(0, "hello"));
  const second = updateOf(doc, () => text(doc).insert(2, "-", { b: true }));
  const third = updateOf(doc, () => doc.getMap("map").set("key", [1, { a: null }]));
  const server = docOf(1, first, second);
  for (const update of [first, second, third, Y.mergeUpdates([first, second, third])]) {
    expect(contradicts(server, update)).toBe(false);
  }
  expect(contradicts(server, new Uint8Array([0, 0]))).toBe(false);
});

test("[S42] other content, another neighbour or another kind under known ids contradicts", () => {
  const base = updateOf(docOf(5), (doc) => text(doc).insert(0, "hello"));
  const write = (change: (doc: Y.Doc) => void): Uint8Array => updateOf(docOf(5, base), change);
  const original = write((doc) => text(doc).insert(5, " you"));
  const server = docOf(1, base, original);
  const others = {
    content: write((doc) => text(doc).insert(5, " all")),
    neighbour: write((doc) => text(doc).insert(0, " you")),
    kind: write((doc) => text(doc).format(0, 5, { b: true })),
    type: write((doc) => doc.getMap("map").set("key", new Y.Map())),
    longer: write((doc) => text(doc).insert(5, " yourself, too")),
  };
  const found = Object.entries(others).map(([name, update]) => [name, contradicts(server, update)]);
  expect(Object.fromEntries(found)).toEqual({
    content: true,
    neighbour: true,
    kind: true,
    type: true,
    longer: false,
  });
  const other = docOf(9, base);
  const both = Y.mergeUpdates([updateOf(other, () => text(other).insert(0, "x")), others.content]);
  expect(contradicts(server, both)).toBe(true);
});

test("[S42] what was deleted or collected meanwhile contradicts nothing", () => {
  const device = docOf(5);
  const inserted = updateOf(device, () => text(device).insert(0, "hello"));
  const removed = updateOf(device, () => text(device).delete(1, 3));
  const server = docOf(1, inserted, removed);
  expect(contradicts(server, inserted)).toBe(false);
  expect(contradicts(server, Y.encodeStateAsUpdate(device))).toBe(false);
  expect(contradicts(docOf(1, inserted), Y.encodeStateAsUpdate(device))).toBe(false);
});

test("[S42] a pair that was cut in two by another's edit contradicts nothing", () => {
  const device = docOf(5);
  const inserted = updateOf(device, () => text(device).insert(0, "a\u{1F600}b"));
  const server = docOf(1, inserted);
  text(server).insert(2, "-");
  expect(text(server).toJSON()).toBe("a\uFFFD-\uFFFDb");
  expect(contradicts(server, inserted)).toBe(false);
});

test("[S42] what can't be read contradicts nothing: it is malformed", () => {
  const doc = docOf(5);
  const update = updateOf(doc, () => text(doc).insert(0, "hello"));
  const server = docOf(1, update);
  const malformed = { kind: "refused", reason: "malformed" };
  for (let length = 0; length < update.length; length++) {
    expect(inspectUpdate(server, update.subarray(0, length))).toEqual(malformed);
  }
  const cutOff = new Uint8Array([2, 0xff, 0xff, 0xff, 0xff, 0x0f]);
  expect(inspectUpdate(server, cutOff)).toEqual(malformed);
});

test("[S42] random histories sent again, whole or in parts, never contradict", () => {
  for (let seed = 0; seed < 100; seed++) {
    const random = seededRandom(seed);
    const devices = [docOf(5), docOf(6)];
    const server = docOf(1);
    const sent: Uint8Array[] = [];
    for (let step = 0; step < 40; step++) {
      const device = devices[integerBelow(random, 2)] ?? docOf(7);
      const length = text(device).length;
      const at = integerBelow(random, length + 1);
      const update = updateOf(device, () => {
        const choice = random();
        if (choice < 0.6) text(device).insert(at, "abc".slice(integerBelow(random, 3)));
        else if (choice < 0.8) text(device).delete(at, Math.min(2, length - at));
        else text(device).format(at, Math.min(3, length - at), { i: random() < 0.5 || null });
      });
      sent.push(update);
      Y.applyUpdate(server, update);
      if (random() < 0.3)
        for (const one of devices) Y.applyUpdate(one, Y.encodeStateAsUpdate(server));
    }
    for (const update of [
      ...sent,
      Y.mergeUpdates(sent),
      ...devices.map((doc) => Y.encodeStateAsUpdate(doc)),
    ]) {
      expect(contradicts(server, update), `seed ${seed}`).toBe(false);
    }
  }
});

test("[S42] another place under known ids contradicts, even where the content is the same or gone", () => {
  const write = (name: string, key: string): Y.Doc => {
    const doc = docOf(5);
    doc.getMap(name).set(key, new Y.Text());
    return doc;
  };
  const server = docOf(1, Y.encodeStateAsUpdate(write("nodes", "one")));
  const contradictsServer = (doc: Y.Doc): boolean =>
    contradicts(server, Y.encodeStateAsUpdate(doc));
  expect(contradictsServer(write("nodes", "one"))).toBe(false);
  expect(contradictsServer(write("nodes", "two"))).toBe(true);
  expect(contradictsServer(write("others", "one"))).toBe(true);
  server.getMap("nodes").delete("one");
  expect(contradictsServer(write("nodes", "one"))).toBe(false);
  expect(contradictsServer(write("nodes", "two"))).toBe(true);
});
