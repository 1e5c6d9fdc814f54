import { expect, test } from "vitest";
import * as Y from "yjs";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import { encodePlacement, type Place } from "../../../src/core/tree/placement.ts";
import { Repair } from "../../../src/core/merge/repair.ts";
import { naiveTree } from "../../property/naive-tree.ts";
import { HandClock, soloOutline } from "../../support/lab.ts";
import { oneOf, seededRandom } from "../../support/seeded-random.ts";

const AT = Date.UTC(2026, 10, 20);
const ORDERS = ["V", "W", "X", "Y"];

function keyNumber(number: number): NodeKey {
  return `a${number.toString(16).padStart(11, "0")}` as NodeKey;
}

interface Put extends Place {
  readonly key: NodeKey;
  readonly from?: Place;
  readonly at?: number;
}

/** Writes registers, as an update from elsewhere does. */
function put(doc: Y.Doc, puts: readonly Put[]): void {
  const nodes = doc.getMap<Y.Text>("nodes");
  doc.transact(() => {
    for (const { key, parent, order, from, at = 0 } of puts) {
      const text = nodes.get(key) ?? new Y.Text();
      if (!nodes.has(key)) nodes.set(key, text);
      const move = from === undefined ? {} : { move: { at: AT + at, from } };
      text.setAttribute("p", encodePlacement({ parent, order, createdAt: AT, ...move }));
    }
  });
}

function shown({ tree }: Outline): readonly string[] {
  return [...tree.rows()].map((row) => [row.key, row.parent?.key, row.order].join(" ")).toSorted();
}

function wanted(doc: Y.Doc): readonly string[] {
  return [...naiveTree(doc)]
    .map(([key, { parent, order }]) => [key, parent, order].join(" "))
    .toSorted();
}

/** Pairs of nodes that were moved below each other, from the top level. */
function pairs(count: number): { readonly before: readonly Put[]; readonly moves: readonly Put[] } {
  const keys = Array.from({ length: 2 * count }, (_, index) => keyNumber(index));
  const home = { parent: ROOT, order: "V" };
  return {
    before: keys.map((key) => ({ key, ...home })),
    moves: keys.map((key, index) => ({
      key,
      parent: keyNumber(index ^ 1),
      order: "V",
      from: home,
      at: index,
    })),
  };
}

/** How often the index looks a row up while `work` goes on: what fallen rows cost. */
function lookUps({ tree }: Outline, work: () => void): number {
  let count = 0;
  const rowAt = tree.rowAt.bind(tree);
  tree.rowAt = (key) => {
    count++;
    return rowAt(key);
  };
  work();
  tree.rowAt = rowAt;
  return count;
}

test.each([
  ["one by one", 1],
  ["some at a time", 4],
  ["many at a time", 80],
])(
  "[I1, D22, D23, D24] rows that return to where they were, changed %s, are where the rules say",
  (_, batch) => {
    const random = seededRandom(batch);
    const count = batch === 80 ? 120 : 10;
    const outline = soloOutline();
    const place = (): Place => ({
      parent: random() < 0.2 ? ROOT : keyNumber(Math.floor(random() * (count + 3))),
      order: oneOf(random, ORDERS),
    });
    let shownRings = 0;
    for (let step = 0; step < 160; step++) {
      const puts = new Map<NodeKey, Put>();
      for (let left = batch; left > 0; left--) {
        const key = keyNumber(Math.floor(random() * count));
        const at = Math.floor(random() * 50);
        puts.set(key, { key, at, ...place(), ...(random() < 0.9 ? { from: place() } : {}) });
      }
      put(outline.doc, [...puts.values()]);
      if (random() < 0.3) {
        const nodes = outline.doc.getMap<Y.Text>("nodes");
        const gone = keyNumber(Math.floor(random() * count));
        outline.doc.transact(() => {
          if (random() < 0.5) nodes.delete(gone);
          else nodes.get(gone)?.setAttribute("p", "nonsense");
        });
      }
      const expected = wanted(outline.doc);
      expect(shown(outline), `step ${step}`).toEqual(expected);
      for (const row of outline.tree.fallenRows())
        if (row.parent === outline.tree.root) shownRings++;
      // All that was ever written is read again for this.
      if (batch === 80 && step % 4 !== 0) continue;
      const copy = new Y.Doc();
      Y.applyUpdate(copy, Y.encodeStateAsUpdate(outline.doc));
      const built = Outline.attach(copy, { id: outline.id, now: new HandClock().now, random });
      expect(shown(built), `step ${step}`).toEqual(expected);
      built.detach();
    }
    expect(shownRings).toBeGreaterThan(50);
  },
);

test("[Q42] a thousand rings cost four times what 250 cost, and so do repairing and opening them", () => {
  const costs = [250, 1_000].map((count) => {
    const { before, moves } = pairs(count);
    const outline = soloOutline();
    put(outline.doc, before);
    const repair = Repair.attach(outline);
    const falling = lookUps(outline, () => {
      for (let at = 0; at < moves.length; at += 100) put(outline.doc, moves.slice(at, at + 100));
    });
    expect(outline.tree.fallenRows().size).toBe(count);
    const seen = shown(outline);
    const repairing = lookUps(outline, () => repair.run());
    expect(shown(outline)).toEqual(seen);
    expect(outline.tree.fallenRows().size).toBe(0);
    return [falling, repairing];
  });
  const [few = [], many = []] = costs;
  for (const [index, cost] of many.entries()) expect(cost).toBeLessThan(6 * (few[index] ?? 0));
});

test("[Q42] rows that wait for a parent for ever cost a change of others nothing", () => {
  const outline = soloOutline();
  const lost = keyNumber(99_999);
  const home = { parent: ROOT, order: "V" };
  put(
    outline.doc,
    Array.from({ length: 3_000 }, (_, index) => ({
      key: keyNumber(index),
      parent: lost,
      order: "V",
      from: home,
    })),
  );
  const repair = Repair.attach(outline);
  repair.run();
  expect(outline.tree.fallenRows().size).toBe(3_000);
  const cost = lookUps(outline, () => {
    put(outline.doc, [{ key: keyNumber(5_000), ...home }]);
    outline.create({ parent: ROOT, name: "another" });
    outline.move(keyNumber(5_000), { parent: ROOT, position: "bottom" });
    repair.run();
  });
  expect(cost).toBeLessThan(100);
});

test("[D25] what is shown last at the top level is written down in the order in which it is shown", () => {
  const outline = soloOutline();
  const count = 450;
  put(
    outline.doc,
    Array.from({ length: count }, (_, index) => ({
      key: keyNumber(index),
      parent: keyNumber(index ^ 1),
      order: ORDERS[index % 4] ?? "V",
    })),
  );
  const before = outline.childKeys(ROOT);
  expect(before.length).toBe(count / 2);
  Repair.attach(outline).run();
  expect(outline.tree.fallenRows().size).toBe(0);
  expect(outline.childKeys(ROOT)).toEqual(before);
});

test("[D44, Q40] repair in steps writes a few hundred nodes in each, and ends as in one go", () => {
  const ends = ["in steps", "in one go"].map((how) => {
    const { before, moves } = pairs(700);
    const outline = soloOutline();
    put(outline.doc, before);
    const repair = Repair.attach(outline);
    put(outline.doc, moves);
    const written: number[] = [];
    outline.doc.on("afterTransaction", ({ changed }) => written.push(changed.size));
    if (how === "in one go") repair.run();
    else {
      let steps = 0;
      for (const _ of repair.runInSlices()) steps++;
      expect(steps).toBeGreaterThan(5);
    }
    expect(Math.max(...written)).toBeLessThanOrEqual(200);
    expect(repair.run()).toBe(false);
    return shown(outline);
  });
  expect(ends[0]).toEqual(ends[1]);
});

test("[D32, Q42] a thousand nodes that come out of a deleted one cost four times what 250 cost", () => {
  const costs = [250, 1_000].map((count) => {
    const outline = soloOutline(new HandClock(), 1);
    const depth = 50;
    put(
      outline.doc,
      Array.from({ length: depth }, (_, index) => ({
        key: keyNumber(index),
        parent: index === 0 ? ROOT : keyNumber(index - 1),
        order: "V",
      })),
    );
    const repair = Repair.attach(outline);
    for (const [client, structs] of outline.doc.store.clients) {
      const last = structs.at(-1);
      repair.record([[client, (last?.id.clock ?? 0) + (last?.length ?? 0)]], 1);
    }
    repair.run();
    outline.trash(keyNumber(0), 1);
    const other = new Y.Doc();
    Y.applyUpdate(other, Y.encodeStateAsUpdate(outline.doc));
    other.clientID = 77;
    put(
      other,
      Array.from({ length: count }, (_, index) => ({
        key: keyNumber(1_000 + index),
        parent: keyNumber(depth - 1),
        order: "V",
      })),
    );
    repair.record([[1, Y.getState(outline.doc.store, 1)]], 2);
    Y.applyUpdate(outline.doc, Y.encodeStateAsUpdate(other));
    repair.record([[77, Y.getState(outline.doc.store, 77)]], 3);
    let reads = 0;
    for (const row of outline.tree.rows()) {
      let { parent } = row;
      Object.defineProperty(row, "parent", {
        get: () => (reads++, parent),
        set(value: typeof parent) {
          parent = value;
        },
      });
    }
    repair.run();
    expect(repair.counts.rescued).toBe(count);
    expect(outline.childCount(ROOT)).toBe(count);
    return reads;
  });
  expect(costs[1]).toBeLessThan(6 * (costs[0] ?? 0));
});
