import { expect, onTestFinished, test, vi } from "vitest";
import * as Y from "yjs";
import { INBOX, ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import { notesOf } from "../../../src/core/schema.ts";
import { Lab } from "../../support/lab.ts";
import { keyOf, shape } from "../../support/outline-notation.ts";
import { permutationsOf } from "../../support/permutations.ts";
import type { Device, Server } from "../../support/replicas.ts";

function type(device: Device, key: NodeKey, text: string, at?: number): void {
  const name = device.doc.getMap<Y.Text>("nodes").get(key);
  device.outline.editText(key, "name", () => name?.insert(at ?? name.length, text));
}

/** What is in the trash: names and notes, in the order of names. */
function trash(
  lab: Lab,
  among: Device | Server = lab.server,
): readonly (readonly [string, string])[] {
  const nodes = among.doc.getMap<Y.Text>("nodes");
  return among.outline
    .trashedKeys()
    .map((key) => {
      const text = nodes.get(key);
      const notes = text === undefined ? [] : notesOf(text);
      return [text?.toJSON() ?? "", notes.map((note) => note.toJSON()).join()] as const;
    })
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const IN = (path: string): string =>
  `Typed into a line that was deleted for good meanwhile. That line was in “${path}”.`;
const AT_TOP =
  "Typed into a line that was deleted for good meanwhile. That line was at the top level.";

test("[D90] text typed into a line that was deleted for good is in the trash, with where it was", () => {
  const lab = new Lab("work(project(x(y) z)) b");
  const [x, y] = [keyOf(lab.keys, "x"), keyOf(lab.keys, "y")];
  const [first, second] = [lab.device(0), lab.device(1)];
  type(first, x, " and more");
  first.outline.editText(x, "note", (note) => note.insert(0, "first line\nsecond line"));
  type(second, y, "Look ", 0);
  lab.server.outline.remove(x);
  lab.meet();
  const where = IN("work › project");
  expect(trash(lab)).toEqual([
    [" and more", `${where}\nfirst line\nsecond line`],
    ["Look ", where],
  ]);
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(shape(outline)).toBe("work(project(z)) b");
    expect(outline.trashedKeys()).toHaveLength(2);
  }
  // What is restored stands where the line stood, and the line itself stays gone.
  const kept = lab.server.outline.trashedKeys().find((key) => {
    return lab.server.doc.getMap<Y.Text>("nodes").get(key)?.toJSON() === "Look ";
  });
  expect(first.outline.restore(kept ?? x)).toEqual({ kind: "ok" });
  lab.meet();
  expect(shape(lab.server.outline)).toBe("work(project(Look  z)) b");
  expect(lab.server.outline.has(x)).toBe(false);
});

test.each<[string, (device: Device, x: NodeKey) => void]>([
  ["trashed", ({ outline, seen }, x) => void outline.trash(x, seen)],
  [
    "trashed and taken back",
    ({ outline, seen }, x) => {
      outline.trash(x, seen);
      outline.restore(x);
    },
  ],
  ["moved", ({ outline }, x) => void outline.move(x, { parent: ROOT, position: "top" })],
])("[D90, D72] text that comes in one update with its line, %s, is in the trash", (_, act) => {
  for (const isMerged of [true, false]) {
    for (const isDeletedFirst of [true, false]) {
      const lab = new Lab("a x(y) b");
      const [x, y] = [keyOf(lab.keys, "x"), keyOf(lab.keys, "y")];
      const device = lab.device(0);
      type(device, x, " and more");
      type(device, y, " below");
      act(device, x);
      if (isMerged) device.unsent.push(Y.mergeUpdates(device.unsent.splice(0)));
      if (isDeletedFirst) {
        lab.server.outline.remove(x);
        lab.meet();
      } else {
        lab.device(1).outline.trash(x, lab.device(1).seen);
        lab.device(1).outline.discard(x, lab.device(1).seen);
        lab.push(device);
        lab.push(lab.device(1));
        lab.pullAll();
      }
      for (const replica of [lab.server, ...lab.devices]) {
        expect(trash(lab, replica)).toEqual([
          [" and more", AT_TOP],
          [" below", AT_TOP],
        ]);
      }
    }
  }
});

test("[D90] what is typed on goes to the same line, as it was typed", () => {
  const lab = new Lab("a x b");
  const x = keyOf(lab.keys, "x");
  const device = lab.device(0);
  for (const letter of " hello") type(device, x, letter);
  type(device, x, "Oh, ", 0);
  lab.server.outline.remove(x);
  lab.push(device);
  expect(trash(lab)).toEqual([["hello … Oh, ", AT_TOP]]);
  for (const letter of "dear ") {
    const text = device.doc.getMap<Y.Text>("nodes").get(x);
    text?.insert((text.toJSON().indexOf(", ") ?? 0) + 2, letter);
  }
  lab.push(device);
  expect(trash(lab)[0]?.[0]).toContain("Oh, ");
  expect(trash(lab)).toHaveLength(1);
  expect(lab.server.repair.run()).toBe(false);
});

test("[D90] what is typed into a note alone has a line too", () => {
  const lab = new Lab("a x");
  const x = keyOf(lab.keys, "x");
  const device = lab.device(0);
  device.outline.editText(x, "note", (note) => note.insert(0, "one"));
  lab.server.outline.remove(x);
  lab.push(device);
  device.outline.editText(x, "note", (note) => note.insert(3, " two"));
  lab.push(device);
  expect(trash(lab)).toEqual([["(typed into a note)", `${AT_TOP}\none two`]]);
});

test("[D90] formats stay, and what its author deleted again does not come", () => {
  const lab = new Lab("a x");
  const x = keyOf(lab.keys, "x");
  const { doc } = lab.device(0);
  const text = doc.getMap<Y.Text>("nodes").get(x);
  doc.transact(() => {
    text?.insert(1, " see wrong here");
    text?.delete(5, 6);
    text?.format(6, 4, { a: "https://example.com/" });
  });
  lab.server.outline.remove(x);
  lab.meet();
  const nodes = lab.server.doc.getMap<Y.Text>("nodes");
  const [key] = lab.server.outline.trashedKeys();
  expect(nodes.get(key ?? "")?.toDelta()).toEqual([
    { insert: " see " },
    { insert: "here", attributes: { a: "https://example.com/" } },
  ]);
});

test("[D90] in every order of arrival: two devices type, a third deletes for good", () => {
  for (const order of permutationsOf([0, 1, 2])) {
    const lab = new Lab("a x(y) b", 3);
    const [x, y] = [keyOf(lab.keys, "x"), keyOf(lab.keys, "y")];
    const deleter = lab.device(2);
    type(lab.device(0), x, " one");
    type(lab.device(1), y, " two");
    deleter.outline.trash(x, deleter.seen);
    deleter.outline.discard(x, deleter.seen);
    for (const index of order) lab.push(lab.device(index));
    lab.pullAll();
    for (const replica of [lab.server, ...lab.devices]) {
      expect(shape(replica.outline)).toBe("a b");
      expect(trash(lab, lab.server).map(([name]) => name)).toEqual([" one", " two"]);
      expect(replica.outline.trashedKeys()).toHaveLength(2);
    }
    expect(lab.server.repair.run()).toBe(false);
  }
});

test("[D90] what the deleter had seen goes with the line, and what is in the trash stays in it", () => {
  const lab = new Lab("a x y");
  const [x, y] = [keyOf(lab.keys, "x"), keyOf(lab.keys, "y")];
  const [first, second] = [lab.device(0), lab.device(1)];
  type(first, x, " seen");
  type(second, y, " unseen");
  lab.push(first);
  lab.pull(second);
  second.outline.trash(x, second.seen);
  second.outline.discard(x, second.seen);
  first.outline.trash(y, first.seen);
  lab.meet();
  expect(trash(lab).map(([name]) => name)).toEqual(["y unseen"]);
});

test("[D90] a line that comes back before has its text itself", () => {
  const lab = new Lab("a x");
  const x = keyOf(lab.keys, "x");
  const [first, second] = [lab.device(0), lab.device(1)];
  first.outline.trash(x, first.seen);
  lab.push(first);
  lab.pull(second);
  type(second, x, "");
  second.outline.restore(x);
  type(second, x, " typed");
  lab.meet();
  expect(shape(lab.server.outline)).toBe("a x typed");
  expect(trash(lab)).toEqual([]);
});

test("[D90] text typed into a new line below is rescued with that line, once", () => {
  const lab = new Lab("a x");
  const x = keyOf(lab.keys, "x");
  const device = lab.device(0);
  const made = device.outline.create({ parent: x, name: "new" });
  if (made.kind !== "created") throw new Error(made.kind);
  lab.server.outline.remove(x);
  type(device, made.key, " typed");
  lab.meet();
  expect(shape(lab.server.outline)).toBe("a new typed");
  expect(trash(lab)).toEqual([]);
});

test("[D90] what was kept and then deleted for good does not come back, what is typed on then does", () => {
  const lab = new Lab("a x");
  const x = keyOf(lab.keys, "x");
  const [first, second] = [lab.device(0), lab.device(1)];
  type(first, x, " one");
  lab.server.outline.remove(x);
  lab.push(first);
  lab.pull(second);
  const [kept] = second.outline.trashedKeys();
  second.outline.discard(kept ?? x, second.seen);
  lab.push(second);
  expect(trash(lab)).toEqual([]);
  type(first, x, " two");
  lab.meet();
  expect(trash(lab).map(([name]) => name)).toEqual([" two"]);
});

test("[D36, D32] who deletes a kept line for good takes nothing with it that was put in meanwhile", () => {
  for (const order of permutationsOf([0, 1])) {
    const lab = new Lab("a x z");
    const [x, z] = [keyOf(lab.keys, "x"), keyOf(lab.keys, "z")];
    const [first, second] = [lab.device(0), lab.device(1)];
    type(first, x, " one");
    lab.server.outline.remove(x);
    lab.push(first);
    lab.pullAll();
    const kept = first.outline.trashedKeys()[0] ?? x;
    expect(first.outline.restore(kept)).toEqual({ kind: "ok" });
    expect(first.outline.move(z, { parent: kept })).toEqual({ kind: "ok" });
    expect(second.outline.discard(kept, second.seen)).toEqual({ kind: "ok" });
    for (const index of order) lab.push(lab.device(index));
    lab.pullAll();
    for (const { outline } of [lab.server, ...lab.devices]) {
      expect(outline.has(z)).toBe(true);
      expect(outline.tree.rowAt(kept)?.deletion).toMatch(/^f/);
    }
  }
});

test("[D90] a line of a deleted day, and after a restart", () => {
  const lab = new Lab("a");
  const { server } = lab;
  const made = server.outline.create({ parent: INBOX, name: "idea" });
  if (made.kind !== "created") throw new Error(made.kind);
  lab.pullAll();
  type(lab.device(0), made.key, " of mine");
  server.outline.remove(made.key);
  server.repair.run();
  server.saveSnapshot();
  server.restart();
  lab.meet();
  expect(trash(lab)).toEqual([[" of mine", IN("Inbox")]]);
});

test("[D90] for text in many lines it is asked about once whether what is above them is gone", () => {
  const lab = new Lab("deleted top", 1);
  const device = lab.device(0);
  const chain = [keyOf(lab.keys, "top")];
  device.doc.transact(() => {
    for (let parent = ROOT; chain.length <= 500; chain.push(parent)) {
      parent = device.outline.createPlain({ parent: chain.at(-1) ?? ROOT, name: [] });
    }
  });
  lab.meet();
  lab.server.outline.remove(keyOf(lab.keys, "deleted"));
  device.doc.transact(() => {
    for (const key of chain.slice(-200)) type(device, key, "x");
  });
  const has = vi.spyOn(WeakSet.prototype, "has");
  onTestFinished(() => has.mockRestore());
  lab.push(device);
  expect(has.mock.calls.length).toBeLessThan(200 * 100);
});

test("[D90, N40] a line that is deleted for good may have any number of children", () => {
  const lab = new Lab("top(child) other", 1);
  const [top, child] = [keyOf(lab.keys, "top"), keyOf(lab.keys, "child")];
  const device = lab.device(0);
  device.outline.trash(top, device.seen);
  device.outline.discard(top, device.seen);
  // So that the server looks for what the deleter had not seen.
  lab.server.outline.update(keyOf(lab.keys, "other"), { name: "more" });
  const { tree } = lab.server.outline;
  // More than a call can have arguments. To make as many nodes takes a minute.
  const children = Array.from({ length: 150_000 }, () => tree.rowAt(child));
  Object.assign(tree.rowAt(top) ?? {}, { children });
  lab.push(device);
  expect(shape(lab.server.outline)).toBe("more");
});

test("[D90, Q42] the names above are not read to their ends for each line that is kept", () => {
  const FORMATS = 4_000;
  const lab = new Lab("work(a b c d e f g h i j)");
  const lines = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map((name) =>
    keyOf(lab.keys, name),
  );
  const [first, second] = [lab.device(0), lab.device(1)];
  second.outline.editText(keyOf(lab.keys, "work"), "name", (text) => {
    const words = Array.from({ length: FORMATS }, (_, at) => ({
      insert: "ab",
      attributes: at % 2 === 0 ? { b: true } : {},
    }));
    text.applyDelta([{ retain: text.length }, ...words]);
  });
  lab.meet();
  for (const line of lines) {
    type(first, line, "typed");
    lab.server.outline.remove(line);
  }
  lab.server.repair.run();
  const deleted = vi.spyOn(Y.Item.prototype, "deleted", "get");
  onTestFinished(() => deleted.mockRestore());
  lab.meet();
  // As often as one name has items, for all ten lines and all that goes on besides.
  expect(deleted.mock.calls.length).toBeLessThan(2 * lines.length * 1_000);
  const told = IN(`work${"ab".repeat(38)}…`);
  expect(trash(lab)).toEqual(lines.map(() => ["typed", told]));
});

test("[D90, Q40] the lines that keep text are made a few at a time", () => {
  const names = Array.from({ length: 150 }, (_, at) => `line${at}`);
  const lab = new Lab(names.join(" "));
  const lines = names.map((name) => keyOf(lab.keys, name));
  const device = lab.device(0);
  device.doc.transact(() => {
    for (const line of lines) type(device, line, "typed");
  });
  for (const line of lines) lab.server.outline.remove(line);
  lab.server.repair.run();
  const nodes = lab.server.doc.getMap<Y.Text>("nodes");
  const made: number[] = [];
  lab.server.doc.on("afterTransaction", ({ changed }) => {
    made.push(changed.get(nodes as never)?.size ?? 0);
  });
  lab.push(device);
  expect(trash(lab)).toHaveLength(lines.length);
  expect(Math.max(...made)).toBeLessThanOrEqual(20);
});
