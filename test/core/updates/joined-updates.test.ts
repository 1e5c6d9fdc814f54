import { expect, test } from "vitest";
import * as Y from "yjs";
import { joinedUpdates } from "../../../src/core/updates/joined-updates.ts";
import { runs } from "../../support/runs.ts";
import { integerBelow, seededRandom } from "../../support/seeded-random.ts";

/** What some people write and delete in texts of each other, one update for each transaction. */
function logOf(count: number, seed: number): Uint8Array[] {
  const random = seededRandom(seed);
  const doc = new Y.Doc();
  const updates: Uint8Array[] = [];
  doc.on("update", (update: Uint8Array) => updates.push(update));
  while (updates.length < count) {
    doc.clientID = 1 + integerBelow(random, 5);
    const texts = doc.getMap<Y.Text>("nodes");
    const name = `node ${integerBelow(random, 4)}`;
    const text = texts.get(name);
    const place = random();
    if (text === undefined || place < 0.02) texts.set(name, new Y.Text("new: "));
    else if (place < 0.3 && text.length > 5)
      text.delete(integerBelow(random, 5), 1 + integerBelow(random, 4));
    else if (place < 0.4) text.format(0, Math.min(2, text.length), { bold: true });
    else text.insert(integerBelow(random, text.length + 1), random() < 0.1 ? "größer 𝒜" : "x");
  }
  return updates;
}

function docOf(updates: readonly Uint8Array[]): Y.Doc {
  const doc = new Y.Doc();
  for (const update of updates) Y.applyUpdate(doc, update);
  return doc;
}

/** Whatever part of them is joined, a document that has what is before it ends in the same state. */
function expectTheSame(log: readonly Uint8Array[], from: number, to: number): void {
  const direct = docOf(log.slice(0, to));
  const doc = docOf(log.slice(0, from));
  Y.applyUpdate(doc, joinedUpdates(log.slice(from, to)));
  expect(doc.store.pendingStructs).toBeNull();
  expect(doc.store.pendingDs).toBeNull();
  expect(Y.encodeStateAsUpdate(doc)).toEqual(Y.encodeStateAsUpdate(direct));
  expect(doc.toJSON()).toEqual(direct.toJSON());
}

test("[S23, S44] updates of a log become one that says the same", () => {
  for (let seed = 1; seed <= runs(10, 200); seed++) {
    const random = seededRandom(seed);
    const log = logOf(300, seed);
    expectTheSame(log, 0, log.length);
    for (let round = 0; round < 5; round++) {
      const from = integerBelow(random, log.length);
      expectTheSame(log, from, from + 1 + integerBelow(random, log.length - from));
    }
  }
});

test("[S23, S44] what was joined is merged again by clients, and nothing is lost", () => {
  for (let seed = 1; seed <= runs(10, 200); seed++) {
    const log = logOf(200, seed);
    const cuts = [0, 40, 90, 91, 150, log.length];
    const parts = cuts.slice(1).map((to, index) => joinedUpdates(log.slice(cuts[index], to)));
    const expected = Y.encodeStateAsUpdate(docOf(log));
    expect(Y.encodeStateAsUpdate(docOf([Y.mergeUpdates(parts)]))).toEqual(expected);
    const lacked = Y.diffUpdate(joinedUpdates(log), Y.encodeStateVector(docOf(log.slice(0, 90))));
    expect(Y.encodeStateAsUpdate(docOf([...log.slice(0, 90), lacked]))).toEqual(expected);
  }
});

test("[S44] structs are copied, not merged or left out, and deletions told once", () => {
  const log = logOf(500, 7);
  const joined = Y.decodeUpdate(joinedUpdates(log));
  const single = log.map((update) => Y.decodeUpdate(update));
  expect(joined.structs.length).toBe(single.reduce((sum, { structs }) => sum + structs.length, 0));
  for (const ranges of joined.ds.clients.values()) {
    let end = -1;
    for (const { clock, len } of ranges) {
      expect(clock).toBeGreaterThan(end);
      end = clock + len;
    }
  }
});

test("[S44] what does not follow, comes twice or can't be read is merged by Yjs", () => {
  const log = logOf(60, 3);
  const expected = Y.encodeStateAsUpdate(docOf(log));
  const state = (updates: readonly Uint8Array[]): Uint8Array =>
    Y.encodeStateAsUpdate(docOf([joinedUpdates(updates)]));
  // All of the log again, in larger pieces.
  expect(state([Y.mergeUpdates(log.slice(0, 40)), ...log])).toEqual(expected);
  expect(state([...log.slice(0, 30), Y.encodeStateAsUpdate(docOf(log)), ...log.slice(30)])).toEqual(
    expected,
  );
  expect(state([...log, log[3] ?? new Uint8Array()])).toEqual(expected);
  // With a gap it waits for what is missing.
  const gapped = [...log.slice(0, 20), ...log.slice(40)];
  const doc = docOf([joinedUpdates(gapped)]);
  Y.applyUpdate(doc, joinedUpdates(log.slice(20, 40)));
  expect(Y.encodeStateAsUpdate(doc)).toEqual(expected);
  // An element of XML has no place in an outline.
  const other = new Y.Doc();
  other.getXmlFragment("xml").insert(0, [new Y.XmlElement("p")]);
  const both = docOf([joinedUpdates([...log, Y.encodeStateAsUpdate(other)])]);
  expect(both.getXmlFragment("xml").length).toBe(1);
});

test("[S23] an update alone is passed on as it is", () => {
  const update = new Uint8Array([0, 0]);
  expect(joinedUpdates([update])).toBe(update);
});
