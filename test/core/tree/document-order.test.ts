import { expect, test } from "vitest";
import type * as Y from "yjs";
import { DocumentOrder, type RankedRow } from "../../../src/core/tree/document-order.ts";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { encodePlacement } from "../../../src/core/tree/placement.ts";
import { soloOutline } from "../../support/lab.ts";
import { keyOf, plant } from "../../support/outline-notation.ts";
import { integerBelow, oneOf, seededRandom } from "../../support/seeded-random.ts";

function lineOf({ row, parent, rank }: RankedRow): string {
  return `${row.key} ${parent.key} ${rank}`;
}

/** All there is, in one go. */
function wholeOrder(outline: Outline): readonly string[] {
  return [...outline.tree.rowsBelow(outline.tree.root)].map(lineOf);
}

/** Some edit somewhere. */
function edit(outline: Outline, keys: NodeKey[], random: () => number): void {
  const key = oneOf(random, keys);
  const parent = random() < 0.2 ? ROOT : oneOf(random, keys);
  const position = random() < 0.5 ? "top" : "bottom";
  const choice = integerBelow(random, 10);
  if (choice < 3) {
    const made = outline.create({ parent, position, name: "new" });
    if (made.kind === "created") keys.push(made.key);
  } else if (choice < 8) outline.move(key, { parent, position });
  else if (choice < 9) outline.trash(key, 0);
  else outline.restore(key);
}

/** Moves that come from elsewhere, so many at once that the index orders its arrays at the end. */
function moveMany({ doc }: Outline, keys: readonly NodeKey[], random: () => number): void {
  const nodes = doc.getMap<Y.Text>("nodes");
  const parents = [ROOT, oneOf(random, keys), oneOf(random, keys)];
  doc.transact(() => {
    for (const key of keys) {
      if (random() < 0.2) continue;
      const place = { parent: oneOf(random, parents), createdAt: 1, order: "V" };
      nodes.get(key)?.setAttribute("p", encodePlacement(place));
    }
  });
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "[I8] walks see the tree of their beginning, whatever is edited meanwhile (seed %i)",
  (seed) => {
    const random = seededRandom(seed);
    const outline = soloOutline();
    const keys: NodeKey[] = [];
    while (keys.length < 100) {
      const parent = keys.length > 0 && random() < 0.8 ? oneOf(random, keys) : ROOT;
      const made = outline.create({ parent, name: "planted" });
      if (made.kind === "created") keys.push(made.key);
    }
    let finished = 0;
    const walks: { rows: Generator<RankedRow>; expected: readonly string[]; seen: string[] }[] = [];
    for (let round = 0; finished < 12; round++) {
      expect(round).toBeLessThan(5_000);
      const hasRoom = walks.length < 4;
      if (hasRoom && random() < 0.1) {
        const expected = wholeOrder(outline);
        const rows = outline.tree.rowsBelow(outline.tree.root);
        const { value, done } = rows.next();
        walks.push({ rows, expected, seen: done === true ? [] : [lineOf(value)] });
      }
      if (random() < 0.95) edit(outline, keys, random);
      else moveMany(outline, keys, random);
      for (const walk of walks.slice()) {
        for (let steps = integerBelow(random, 8); steps > 0; steps--) {
          const { value, done } = walk.rows.next();
          if (done !== true) {
            walk.seen.push(lineOf(value));
            expect(walk.expected).toContain(walk.seen.at(-1));
            continue;
          }
          expect(walk.seen).toEqual(walk.expected);
          walks.splice(walks.indexOf(walk), 1);
          finished++;
          break;
        }
      }
    }
  },
);

test("[I8] a walk costs what changes while it is under way, and nothing afterwards", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a b(c d) e");
  const order = new DocumentOrder();
  const { root } = outline.tree;
  const { children } = root;
  order.keep(root);
  expect(root.children).toBe(children);

  const walk = order.below(root);
  walk.next();
  order.keep(root);
  const copied = root.children;
  expect(copied).not.toBe(children);
  expect(copied).toEqual(children);
  order.keep(root);
  expect(root.children).toBe(copied);

  walk.return(undefined);
  const below = outline.tree.rowAt(keyOf(keys, "b"));
  const untouched = below?.children;
  if (below !== undefined) order.keep(below);
  expect(below?.children).toBe(untouched);
});
