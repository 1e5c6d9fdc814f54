import * as Y from "yjs";
import { seedFor } from "../../../src/core/calendar/month-seed.ts";
import { monthKey, newNodeKey, type NodeKey } from "../../../src/core/node-key.ts";
import { marksOf, metaOf, nodesOf, shortcutsOf } from "../../../src/core/schema.ts";
import { oneOf, integerBelow } from "../../support/seeded-random.ts";

/** An empty outline document that writes under a client id. */
export function outlineDoc(clientId: number, options: { readonly gc?: boolean } = {}): Y.Doc {
  const doc = new Y.Doc(options);
  doc.clientID = clientId;
  nodesOf(doc);
  shortcutsOf(doc);
  marksOf(doc);
  metaOf(doc);
  return doc;
}

export function fullUpdate(doc: Y.Doc): Uint8Array {
  return Y.encodeStateAsUpdate(doc);
}

/** The update that an edit makes. */
export function updateOf(doc: Y.Doc, edit: () => void): Uint8Array {
  const updates: Uint8Array[] = [];
  const collect = (update: Uint8Array): void => void updates.push(update);
  doc.on("update", collect);
  doc.transact(edit);
  doc.off("update", collect);
  return Y.mergeUpdates(updates);
}

/** Everything that a document shows, for comparing replicas. */
export function shownBy(doc: Y.Doc): unknown {
  const nodes = [...nodesOf(doc).entries()].map(([key, text]) => [
    key,
    text.toDelta(),
    Object.entries(text.getAttributes())
      .map(([name, value]): [string, unknown] => [
        name,
        value instanceof Y.Text ? value.toDelta() : value,
      ])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  ]);
  nodes.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  return {
    nodes,
    keys: shortcutsOf(doc).toJSON(),
    marks: marksOf(doc).toJSON(),
    meta: metaOf(doc).toJSON(),
  };
}

/** One edit of the kinds that clients make, in one transaction. */
export function editAtRandom(doc: Y.Doc, random: () => number): void {
  const nodes = nodesOf(doc);
  const keys = [...nodes.keys()] as NodeKey[];
  doc.transact(() => {
    const roll = random();
    if (keys.length < 3 || roll < 0.15) return createNode(doc, random);
    const key = oneOf(random, keys);
    const text = nodes.get(key);
    if (text === undefined) return;
    if (roll < 0.5) return editText(text, random);
    if (roll < 0.6) return setAttribute(text, random);
    if (roll < 0.7) return editNote(text, doc.clientID, random);
    if (roll < 0.76) return nodes.delete(key);
    if (roll < 0.84) return marksOf(doc).push([1_700_000_000 + integerBelow(random, 1000)]);
    if (roll < 0.9) return void shortcutsOf(doc).set(oneOf(random, ["a", "b", "__proto__"]), key);
    if (roll < 0.94) return void metaOf(doc).set("weekStart", integerBelow(random, 7));
    return seedMonth(doc, random);
  });
}

function createNode(doc: Y.Doc, random: () => number): void {
  const text = new Y.Text();
  nodesOf(doc).set(newNodeKey(random), text);
  text.insert(0, oneOf(random, ["milk", "a longer name of a node", "päivää 📆", ""]));
  text.setAttribute("p", `${integerBelow(random, 1e9)}`);
}

function editText(text: Y.Text, random: () => number): void {
  const shown = text.toJSON();
  const at = wholeCharacters(shown, integerBelow(random, text.length + 1));
  const roll = random();
  if (roll < 0.5) return text.insert(at, oneOf(random, ["x", "word ", "é", "📆"]));
  const length = wholeCharacters(shown, at + integerBelow(random, text.length - at + 1)) - at;
  if (length === 0) return;
  if (roll < 0.75) return text.delete(at, length);
  text.format(at, length, oneOf(random, [{ b: true }, { a: "https://example.org/" }, { i: null }]));
}

/** A position that cuts no character in two: Yjs would replace both halves. */
export function wholeCharacters(text: string, position: number): number {
  const before = text.charCodeAt(position - 1);
  return before >= 0xd800 && before < 0xdc00 ? position - 1 : position;
}

function setAttribute(text: Y.Text, random: () => number): void {
  const [name, value] = oneOf<[string, string | number]>(random, [
    ["p", `${integerBelow(random, 1e9)}`],
    ["l", "todo"],
    ["x", 1_700_000_000],
    ["d", "f*"],
    ["later", "unknown to this version"],
  ]);
  text.setAttribute(name, value);
}

function editNote(text: Y.Text, author: number, random: () => number): void {
  const name = `o${author.toString(36)}`;
  const note: unknown = text.getAttribute(name);
  if (note instanceof Y.Text) return editText(note, random);
  const made = new Y.Text();
  text.setAttribute(name, made);
  made.insert(0, "a note\nof two lines");
}

function seedMonth(doc: Y.Doc, random: () => number): void {
  const key = monthKey(2026, 1 + integerBelow(random, 3));
  const seed = seedFor(key) ?? new Uint8Array([0, 0]);
  doc.transact((transaction) => {
    // Yjs declares a transaction remote in which an update is applied.
    const { local } = transaction;
    Y.applyUpdate(doc, seed);
    transaction.local = local;
  });
  nodesOf(doc).get(key)?.setAttribute("p", "the place of the month");
}
