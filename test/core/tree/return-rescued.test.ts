import { expect, test, vi } from "vitest";
import type * as Y from "yjs";
import { inOneGo } from "../../../src/core/in-one-go.ts";
import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { encodeOrderInt } from "../../../src/core/tree/order-key.ts";
import { encodePlacement } from "../../../src/core/tree/placement.ts";
import { returningRows } from "../../../src/core/tree/return-rescued.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { Lab } from "../../support/lab.ts";
import { keyOf, plant, shape } from "../../support/outline-notation.ts";
import { permutationsOf } from "../../support/permutations.ts";
import type { Device } from "../../support/replicas.ts";

function expectEverywhere(lab: Lab, notation: string): void {
  for (const { outline } of [lab.server, ...lab.devices]) expect(shape(outline)).toBe(notation);
}

test("[D92] a rescued child goes back when its parent is restored, in every order of arrival", () => {
  const names = ["trash", "child", "grandchild", "rename"] as const;
  for (const order of permutationsOf(names)) {
    const lab = new Lab("a x(one(deep) two) b", 4);
    const [x, one] = [keyOf(lab.keys, "x"), keyOf(lab.keys, "one")];
    const devices = new Map(names.map((name, index) => [name, lab.device(index)]));
    const at = (name: (typeof names)[number]): Device => devices.get(name) ?? lab.device(0);
    at("trash").outline.trash(x, at("trash").seen);
    at("child").outline.create({ parent: x, position: { after: one }, name: "new" });
    plant(at("grandchild").outline, "deeper", one);
    at("rename").outline.update(x, { name: "y" });
    for (const name of order) lab.push(at(name));
    lab.pullAll();
    expect(shape(lab.server.outline).split(" ").toSorted()).toEqual(["a", "b", "deeper", "new"]);
    expect(at("trash").outline.restore(x)).toEqual({ kind: "ok" });
    // The device shows it at once; nobody waits for the server.
    expect(shape(at("trash").outline)).toBe("a y(one(deep deeper) new two) b");
    lab.meet();
    expectEverywhere(lab, "a y(one(deep deeper) new two) b");
    expect(lab.server.repair.run()).toBe(false);
  }
});

test("[D92] so it does when a stock client takes the mark away, and after a restart", () => {
  for (const isRestarted of [false, true]) {
    const lab = new Lab("a x(one) b");
    const x = keyOf(lab.keys, "x");
    const [first, stock] = [lab.device(0), lab.device(1)];
    first.outline.trash(x, first.seen);
    plant(lab.server.outline, "new", x);
    lab.meet();
    expectEverywhere(lab, "a new b");
    if (isRestarted) {
      lab.server.saveSnapshot();
      lab.server.restart();
    }
    stock.doc.getMap<Y.Text>("nodes").get(x)?.removeAttribute("d");
    lab.meet();
    expectEverywhere(lab, "a x(one new) b");
  }
});

test("[D92] so it does when its parent is moved out, or taken along by a move that its deleter had not seen", () => {
  for (const order of permutationsOf([0, 1, 2])) {
    const lab = new Lab("a x(y(one)) b", 3);
    const [x, y, b] = [keyOf(lab.keys, "x"), keyOf(lab.keys, "y"), keyOf(lab.keys, "b")];
    const [deleter, author, mover] = [lab.device(0), lab.device(1), lab.device(2)];
    deleter.outline.trash(x, deleter.seen);
    plant(author.outline, "new", y);
    mover.outline.move(y, { parent: b });
    for (const index of order) lab.push(lab.device(index));
    lab.pullAll();
    expectEverywhere(lab, "a b(y(one new))");
  }
});

test("[D92] what somebody has moved since stays where it is, and so does what was rescued again", () => {
  const lab = new Lab("a x(one) b");
  const [x, b] = [keyOf(lab.keys, "x"), keyOf(lab.keys, "b")];
  const [first, second] = [lab.device(0), lab.device(1)];
  first.outline.trash(x, first.seen);
  const moved = keyOf(plant(lab.server.outline, "moved stays", x), "moved");
  lab.meet();
  expectEverywhere(lab, "a moved stays b");
  second.outline.move(moved, { parent: b });
  lab.meet();
  first.outline.restore(x);
  lab.meet();
  expectEverywhere(lab, "a x(one stays) b(moved)");
});

test("[D92] a row is never put back below itself", () => {
  const lab = new Lab("a x(one) b");
  const x = keyOf(lab.keys, "x");
  const [first, second] = [lab.device(0), lab.device(1)];
  first.outline.trash(x, first.seen);
  const made = keyOf(plant(second.outline, "new", x), "new");
  lab.meet();
  expectEverywhere(lab, "a new b");
  first.outline.restore(x);
  second.outline.restore(x);
  first.outline.move(x, { parent: made });
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(shape(outline)).toBe(shape(lab.server.outline));
    expect([outline.has(x), outline.has(made)]).toEqual([true, true]);
  }
});

test("[D92] what is above many hidden nodes is passed about once to see whether they are shown again", () => {
  const lab = new Lab("top");
  const [trasher, author] = [lab.device(0), lab.device(1)];
  const { tree, doc } = lab.server.outline;
  const chain = [keyOf(lab.keys, "top")];
  doc.transact(() => {
    while (chain.length < 300) {
      const parent = chain.at(-1) ?? ROOT;
      chain.push(lab.server.outline.createPlain({ parent, name: [] }));
    }
  });
  lab.pullAll();
  trasher.outline.trash(chain[0] ?? ROOT, trasher.seen);
  for (const parent of chain) author.outline.createPlain({ parent, name: [] });
  lab.meet();
  expect(tree.rescuedRows().size).toBe(300);

  let passed = 0;
  for (const row of tree.rows()) {
    const { parent } = row;
    Object.defineProperty(row, "parent", { get: () => (passed++, parent) });
  }
  expect(inOneGo(returningRows(tree))).toEqual([]);
  expect(passed).toBeLessThan(300 * 64);
});

test("[D92, Q42] what is above a node is passed once for all that was rescued out of it", () => {
  const lab = new Lab("");
  const [author] = lab.devices;
  const { tree } = lab.server.outline;
  const chain: NodeKey[] = [];
  for (let parent = ROOT; chain.length < 300; chain.push(parent)) {
    parent = author?.outline.createPlain({ parent, name: [] }) ?? ROOT;
  }
  // Each says that it was rescued out of the last, which is below all of them.
  const from = { parent: chain.at(-1) ?? ROOT, order: encodeOrderInt(0) };
  for (const [index, key] of chain.slice(0, -1).entries()) {
    const write = { client: 10, clock: 0, movedAt: 1 };
    const place = { parent: chain[index - 1] ?? ROOT, order: encodeOrderInt(0), createdAt: 1 };
    const move = { at: 2, from };
    const register = encodePlacement({ ...place, move, restates: { ...write, how: "displaced" } });
    textOf(nodesOf(author?.doc ?? lab.server.doc), key)?.setAttribute("p", register);
  }
  lab.meet();
  expect([...tree.rescuedRows().values()].map(({ size }) => size)).toEqual([299]);

  let passed = 0;
  for (const row of tree.rows()) {
    const { parent } = row;
    Object.defineProperty(row, "parent", { get: () => (passed++, parent) });
  }
  expect(inOneGo(returningRows(tree))).toEqual([]);
  expect(passed).toBeLessThan(300 * 4);
});

test("[D92, Q42] what is put where nothing was rescued looks at none of what was", () => {
  const names = Array.from({ length: 300 }, (_, index) => `x${index}`);
  const lab = new Lab(names.join(" "));
  const [trasher, author] = [lab.device(0), lab.device(1)];
  for (const name of names) trasher.outline.trash(keyOf(lab.keys, name), trasher.seen);
  for (const name of names) plant(author.outline, "new", keyOf(lab.keys, name));
  lab.meet();
  const { outline, repair } = lab.server;
  expect(outline.tree.rescuedRows().size).toBe(300);
  const rowAt = vi.spyOn(outline.tree, "rowAt");
  const made = outline.create({ parent: ROOT, name: "beside" });
  repair.run();
  expect(rowAt.mock.calls.length).toBeLessThan(50);
  rowAt.mockRestore();
  expect(outline.restore(keyOf(lab.keys, "x7"))).toEqual({ kind: "ok" });
  lab.meet();
  expect(made.kind).toBe("created");
  expect(outline.childCount(keyOf(lab.keys, "x7"))).toBe(1);
});
