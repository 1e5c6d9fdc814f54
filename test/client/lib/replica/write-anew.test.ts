import { expect, test } from "vitest";
import * as Y from "yjs";
import { LocalEdits } from "../../../../client/lib/edit/local-edits.ts";
import { UndoHistory } from "../../../../client/lib/edit/undo-history.ts";
import { writeAnew } from "../../../../client/lib/rewrite/write-anew.ts";
import {
  dayKey,
  INBOX,
  type NodeKey,
  type OutlineId,
  ROOT,
} from "../../../../src/core/node-key.ts";
import { Outline } from "../../../../src/core/outline.ts";
import { keyOf, plant, shape } from "../../../support/outline-notation.ts";
import { integerBelow, oneOf, seededRandom } from "../../../support/seeded-random.ts";

const ID = "00000000000080008000" as OutlineId;
const NOW_SEC = 1_700_000_000;

/** A device, and what was written on it since it was made. */
class Device {
  readonly doc = new Y.Doc();
  readonly outline: Outline;
  readonly edits: LocalEdits;
  readonly updates: Uint8Array[] = [];

  constructor(client: number, state?: Uint8Array, seed = client) {
    if (state !== undefined) Y.applyUpdate(this.doc, state);
    this.doc.clientID = client;
    const now = (): number => NOW_SEC * 1000;
    this.outline = Outline.attach(this.doc, {
      id: ID,
      now,
      random: seededRandom(seed),
      isDevice: true,
    });
    const seq = (): number => 0;
    const history = new UndoHistory({ outline: this.outline, seq, now });
    this.edits = new LocalEdits({ outline: this.outline, history });
    this.doc.on("update", (update: Uint8Array) => this.updates.push(update));
  }

  get state(): Uint8Array {
    return Y.encodeStateAsUpdate(this.doc);
  }
}

/** A device and its copy, both writing under one id, and the server that knows the first. */
function twins(notation: string) {
  const origin = new Device(1);
  const keys = plant(origin.outline, notation);
  const first = new Device(1, origin.state, 2);
  const copy = new Device(1, origin.state, 3);
  return { keys, first, copy };
}

/** What the server has, as a new replica of the copy sees it under its new id. */
function anew(first: Device, copy: Device): Device {
  const fresh = new Device(9, first.state);
  const update = writeAnew(copy.doc, copy.updates, fresh.doc, { nowSec: NOW_SEC });
  const server = new Device(100, first.state);
  if (update !== undefined) Y.applyUpdate(server.doc, update);
  expect(server.doc.store.pendingStructs).toBeNull();
  expect(everything(server)).toEqual(everything(fresh));
  return fresh;
}

function everything({ outline }: Device): unknown {
  return {
    nodes: [...outline.nodesInOrder()],
    shortcuts: outline.shortcuts(),
    settings: outline.settings(),
    trashed: [...outline.trashedKeys()].sort(),
  };
}

function name({ outline }: Device, key: NodeKey): string | undefined {
  return outline.node(key)?.name;
}

test("[L27] nodes, notes, completion, layout and places are made anew", () => {
  const { keys, first, copy } = twins("a b c(d)");
  const [a, b, c, d] = ["a", "b", "c", "d"].map((each) => keyOf(keys, each)) as [
    NodeKey,
    NodeKey,
    NodeKey,
    NodeKey,
  ];
  plant(first.outline, "other");
  const made = copy.outline.create({
    parent: c,
    position: "bottom",
    name: "# made",
    note: "its note",
  });
  if (made.kind !== "created") throw new Error(made.kind);
  copy.edits.complete([a], true);
  copy.edits.layout([b], "h2");
  copy.edits.move([d], { parent: b });
  copy.edits.split(a, 1, { parent: a });
  const fresh = anew(first, copy);
  expect(shape(fresh.outline)).toBe("a b(d) c(made) other");
  expect(fresh.outline.node(made.key)).toMatchObject({ note: "its note", layout: "h1" });
  expect(fresh.outline.node(a)?.completedAt).toBe(NOW_SEC);
  expect(fresh.outline.node(b)?.layout).toBe("h2");
});

test("[L27] what was typed, deleted and formatted meets what others wrote in the same text", () => {
  const { keys, first, copy } = twins("one");
  const key = keyOf(keys, "one");
  first.edits.type(key, "name", { at: 3, remove: 0, insert: " two three four" });
  const synced = new Device(1, first.state);
  const old = new Device(1, first.state);
  synced.edits.type(key, "name", { at: 0, remove: 0, insert: "zero " });
  old.edits.type(key, "name", { at: 4, remove: 4, insert: "" });
  old.edits.type(key, "name", { at: 14, remove: 0, insert: " five" });
  old.edits.format(key, "name", { from: 4, to: 9 }, "b", true);
  expect(name(old, key)).toBe("one <b>three</b> four five");
  expect(name(anew(synced, old), key)).toBe("zero one <b>three</b> four five");
  expect(copy.updates).toEqual([]);
});

test("[L27] what others deleted meanwhile is not brought back, and not deleted twice", () => {
  const { keys, first, copy } = twins("one two");
  const key = keyOf(keys, "one");
  first.edits.type(key, "name", { at: 0, remove: 2, insert: "" });
  copy.edits.type(key, "name", { at: 1, remove: 2, insert: "" });
  copy.edits.type(key, "name", { at: 1, remove: 0, insert: "!" });
  expect(name(anew(first, copy), key)).toBe("!");
});

test("[L27] deletions, the trash, stars and settings are made anew", () => {
  const { keys, first, copy } = twins("a(b) c");
  copy.edits.trash([keyOf(keys, "a")]);
  copy.edits.setShortcut("see", keyOf(keys, "c"));
  copy.outline.configure({ weekStart: 0 });
  plant(first.outline, "other");
  const fresh = anew(first, copy);
  expect(shape(fresh.outline)).toBe("c other");
  expect(fresh.outline.trashedKeys()).toEqual([keyOf(keys, "a")]);
  expect(fresh.outline.shortcuts()).toEqual([{ key: "see", node: keyOf(keys, "c") }]);
  expect(fresh.outline.settings()).toEqual({ timezone: "UTC", weekStart: 0 });
});

test("[L27, M7] what is made anew is of the second in which that is done, imports are of their own", () => {
  const { keys, first, copy } = twins("one two");
  const one = keyOf(keys, "one");
  copy.outline.update(one, { name: "o" });
  copy.edits.type(one, "name", { at: 1, remove: 0, insert: " typed" });
  copy.edits.type(one, "name", { at: 2, remove: 1, insert: "" });
  const made = copy.outline.create({ parent: ROOT, name: "made" });
  if (made.kind !== "created") throw new Error(made.kind);
  copy.outline.update(made.key, { name: "" });
  const times = { createdAt: 1_000, modifiedAt: 2_000 };
  const imported = copy.outline.createPlain({ parent: ROOT, name: [{ insert: "old" }], ...times });
  const fresh = new Device(9, first.state);
  writeAnew(copy.doc, copy.updates, fresh.doc, { nowSec: NOW_SEC + 500 });
  const modifiedAt = (key: NodeKey): unknown => fresh.outline.node(key)?.modifiedAt;
  expect([one, made.key].map(modifiedAt)).toEqual([NOW_SEC + 500, NOW_SEC + 500]);
  expect(fresh.outline.node(imported)).toMatchObject(times);
});

test("[L27] the inbox and days that were needed are there once", () => {
  const { first, copy } = twins("a");
  const today = dayKey(2026, 11, 20);
  first.outline.create({ parent: today, name: "of the first" });
  copy.outline.create({ parent: today, name: "of the copy" });
  copy.outline.create({ parent: INBOX, name: "inboxed" });
  const fresh = anew(first, copy);
  expect(fresh.outline.children(today).map((node) => node.name)).toEqual(
    expect.arrayContaining(["of the first", "of the copy"]),
  );
  expect(shape(fresh.outline, INBOX)).toBe("inboxed");
  expect(fresh.outline.children(ROOT).map((node) => node.key)).toContain(INBOX);
});

test("[L27] what the server has already is not made twice", () => {
  const { keys, first, copy } = twins("a");
  copy.edits.type(keyOf(keys, "a"), "name", { at: 1, remove: 0, insert: "bc" });
  plant(copy.outline, "new");
  // Only the acknowledgement was lost.
  for (const update of copy.updates) Y.applyUpdate(first.doc, update);
  const fresh = anew(first, copy);
  expect(shape(fresh.outline)).toBe("abc new");
  expect(anew(first, new Device(1, first.state)).updates).toEqual([]);
});

test.each(Array.from({ length: 40 }, (_, seed) => seed))(
  "[L27] where nobody else wrote, the same outline comes out (seed %i)",
  (seed) => {
    const random = seededRandom(seed);
    const { first, copy } = twins("a(b c(d e)) f(g) h i(j(k))");
    for (let count = 0; count < 30; count += 1) {
      const keys = [...copy.outline.keysInOrder()];
      const key = oneOf(random, keys);
      const length = copy.edits.text(key, "name")?.length ?? 0;
      const at = integerBelow(random, length + 1);
      switch (integerBelow(random, 8)) {
        case 0:
          copy.edits.create({ parent: key, name: `n${count}`, note: count % 2 ? "noted" : null });
          break;
        case 1:
          copy.edits.move([key], { parent: oneOf(random, [...keys, ROOT]), position: "bottom" });
          break;
        case 2:
          copy.edits.type(key, "name", { at, remove: 0, insert: `<${count}>` });
          break;
        case 3:
          copy.edits.type(key, "name", { at: 0, remove: at, insert: "" });
          break;
        case 4:
          copy.edits.format(key, "name", { from: 0, to: at }, "b", random() < 0.5 ? true : null);
          break;
        case 5:
          copy.edits.complete([key], random() < 0.5);
          break;
        case 6:
          if (keys.length > 5) copy.edits.trash([key]);
          break;
        default:
          copy.edits.layout([key], oneOf(random, ["bullets", "h1", "todo"]));
      }
    }
    // The other program wrote under the same id, elsewhere.
    plant(first.outline, "other");
    const fresh = anew(first, copy);
    const other = fresh.outline.children(ROOT).find((node) => node.name === "other");
    if (other === undefined) throw new Error("it is there");
    fresh.outline.remove(other.key);
    expect(shape(fresh.outline)).toBe(shape(copy.outline));
    const content = ({ outline }: Device): unknown =>
      [...outline.nodesInOrder()].map(({ key, name, note, layout, completedAt }) => ({
        key,
        name,
        note,
        layout,
        completedAt,
      }));
    expect(content(fresh)).toEqual(content(copy));
    expect([...fresh.outline.trashedKeys()].sort()).toEqual([...copy.outline.trashedKeys()].sort());
  },
);

test("[L27] what was typed beside text that others deleted meanwhile stays what it was", () => {
  const { keys, first, copy } = twins("xyxz");
  const key = keyOf(keys, "xyxz");
  first.edits.type(key, "name", { at: 0, remove: 4, insert: "" });
  copy.edits.type(key, "name", { at: 0, remove: 0, insert: "xw" });
  expect(name(anew(first, copy), key)).toBe("xw");
});

test("[L27] a node that is made anew has all that anybody has written into it", () => {
  const { first, copy } = twins("a");
  const made = copy.edits.create({ parent: ROOT, position: "bottom", name: "made" });
  if (made.kind !== "created") throw new Error("it can be made");
  const unsent = copy.updates.slice();
  // Another tab of the same store: what it wrote is not among the edits that are made anew.
  const other = new Device(7, copy.state);
  other.edits.move([made.key], { parent: ROOT, position: "top" });
  other.edits.type(made.key, "name", { at: 4, remove: 0, insert: " here" });
  for (const update of other.updates) Y.applyUpdate(copy.doc, update);
  const fresh = new Device(9, first.state);
  writeAnew(copy.doc, unsent, fresh.doc, { nowSec: NOW_SEC });
  expect(shape(fresh.outline)).toEqual(shape(copy.outline));
});

test("[L27] a node that came on both ways, and was written in since, has what was typed once", () => {
  const { first, copy } = twins("a");
  const made = copy.edits.create({ parent: ROOT, position: "bottom", name: "call the bank" });
  if (made.kind !== "created") throw new Error("it can be made");
  const { key } = made;
  copy.edits.type(key, "name", { at: 13, remove: 0, insert: " now" });
  // A tab of the device writes it anew, and before that is sent another one sends it as it was.
  const fresh = new Device(9, first.state);
  const update = writeAnew(copy.doc, copy.updates, fresh.doc, { nowSec: NOW_SEC });
  const server = new Device(100, first.state);
  for (const sent of copy.updates) Y.applyUpdate(server.doc, sent);
  server.edits.type(key, "name", { at: 17, remove: 0, insert: ", they say" });
  fresh.edits.type(key, "name", { at: 0, remove: 0, insert: "Please " });
  fresh.edits.type(key, "name", { at: 24, remove: 0, insert: "!" });
  const later = new Device(11, server.state);
  const unsent = [...(update === undefined ? [] : [update]), ...fresh.updates];
  writeAnew(fresh.doc, unsent, later.doc, { nowSec: NOW_SEC });
  expect(name(later, key)).toBe("Please call the bank now, they say!");
});

test.each([
  ["that both have everywhere", " of, things", ": for, people", "a, list of, things: for, people"],
  ["that stands once in each", " x😀x", " y😀y", "a, list x😀xy😀y"],
])("[L27] two texts of one node are one, and a sign %s cuts neither", (_, theirs, ours, both) => {
  const { first, copy } = twins("a");
  const made = copy.edits.create({ parent: ROOT, position: "bottom", name: "a, list" });
  if (made.kind !== "created") throw new Error("it can be made");
  const { key } = made;
  const update = writeAnew(copy.doc, copy.updates, first.doc, { nowSec: NOW_SEC });
  expect(update).toBeDefined();
  const there = new Device(100, first.state);
  there.edits.type(key, "name", { at: 7, remove: 0, insert: theirs });
  copy.edits.type(key, "name", { at: 7, remove: 0, insert: ours });
  expect(name(anew(there, copy), key)).toBe(both);
});

test("[L13] what was typed on something that only another tab had got is written anew too", () => {
  const { keys, first, copy } = twins("- text");
  const key = keyOf(keys, "text");
  first.edits.type(key, "name", { at: 4, remove: 0, insert: " of the first" });
  // Another tab of the copy's device, under an id of its own, had that from the server.
  const tab = new Device(7, first.state, 4);
  tab.edits.type(key, "name", { at: 5, remove: 0, insert: "typed on it, " });
  for (const update of tab.updates) Y.applyUpdate(copy.doc, update);
  expect(copy.doc.store.pendingStructs).not.toBeNull();
  expect(name(copy, key)).toBe("text");
  copy.updates.push(...tab.updates);
  const server = new Device(100, first.state);
  const fresh = new Device(9, server.state);
  const update = writeAnew(copy.doc, tab.updates, fresh.doc, { nowSec: NOW_SEC });
  Y.applyUpdate(server.doc, update ?? new Uint8Array([0, 0]));
  for (const device of [fresh, server]) {
    expect(name(device, key)).toBe("text typed on it, of the first");
  }
});
