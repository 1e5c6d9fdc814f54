import { expect, test } from "vitest";
import {
  encodePlacement,
  MAX_READABLE_ORDER,
  parsePlacement,
} from "../../../src/core/tree/placement.ts";
import { ROOT } from "../../../src/core/node-key.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { soloOutline } from "../../support/lab.ts";
import { keyOf, plant } from "../../support/outline-notation.ts";

/** The longest key that is read: `V` and pairs of a tag and an int. */
const LONGEST = `V${"-0V".repeat((MAX_READABLE_ORDER - 1) / 3)}`;

test("[O3] where a key would be too long to be read a node stands beside its neighbour", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a b c");
  const [a, b, c] = [keyOf(keys, "a"), keyOf(keys, "b"), keyOf(keys, "c")];
  const orders = [LONGEST, `${LONGEST.slice(0, -1)}W`];
  expect(orders.map((order) => order.length)).toEqual([MAX_READABLE_ORDER, MAX_READABLE_ORDER]);
  outline.doc.transact(() => {
    for (const [index, key] of [a, b].entries()) {
      const text = textOf(nodesOf(outline.doc), key);
      const placement = parsePlacement(text?.getAttribute("p") as string);
      if (placement === undefined) throw new Error("a node has a place");
      text?.setAttribute("p", encodePlacement({ ...placement, order: orders[index] ?? "" }));
    }
  });
  outline.move(c, { parent: ROOT, position: { after: b } });
  const made = outline.create({ parent: ROOT, position: { after: a }, name: "between" });
  if (made.kind !== "created") throw new Error(made.kind);
  const placement = textOf(nodesOf(outline.doc), made.key)?.getAttribute("p") as string;
  expect(orders).toContain(parsePlacement(placement)?.order);
  expect(outline.childKeys(ROOT).slice(0, 3)).toContain(made.key);
  expect(outline.childKeys(ROOT).slice(3)).toEqual([c]);
});
