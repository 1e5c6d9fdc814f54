import { expect, test } from "vitest";
import { encodeDeletion } from "../../../src/core/node/deletion-mark.ts";
import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { encodeOrderInt } from "../../../src/core/tree/order-key.ts";
import { encodePlacement } from "../../../src/core/tree/placement.ts";
import { entryOf, nodesOf, textOf } from "../../../src/core/schema.ts";
import { Lab } from "../../support/lab.ts";

const COUNT = 300;

/**
 * Deletes each of a chain of nodes, the lowest first, and moves what is in the last one: how often the
 * deletion of one of them is looked at then.
 * @param seen what the mark of the node at a depth says
 */
function looksAtDeletion(of: number, seen: (depth: number) => number): number {
  const lab = new Lab("");
  const [author] = lab.devices;
  if (author === undefined) throw new Error("no device");
  const chain: NodeKey[] = [];
  for (let parent = ROOT; chain.length < COUNT; chain.push(parent)) {
    parent = author.outline.createPlain({ parent, name: [] });
  }
  const leaf = author.outline.createPlain({ parent: chain.at(-1) ?? ROOT, name: [] });
  const set = (key: NodeKey, name: string, value: string): void =>
    textOf(nodesOf(author.doc), key)?.setAttribute(name, value);
  for (const [above, key] of chain.toReversed().entries()) {
    const depth = COUNT - 1 - above;
    const mark = { kind: "trash", seen: seen(depth) } as const;
    set(key, "d", encodeDeletion(mark, { at: lab.clock.nowMs }));
  }
  lab.meet();

  const text = textOf(nodesOf(lab.server.doc), chain[of] ?? ROOT);
  const id = text && entryOf(text, "d")?.id;
  if (id === undefined) throw new Error("no mark");
  const { client } = id;
  let looks = 0;
  Object.defineProperty(id, "client", { get: () => (looks++, client) });
  const place = { parent: chain.at(-1) ?? ROOT, createdAt: 1, order: encodeOrderInt(7) };
  set(leaf, "p", encodePlacement(place));
  lab.meet();
  expect(lab.server.outline.tree.deletedRows().size).toBe(COUNT);
  return looks;
}

test("[D32, Q42] of deletions that cover the same one is looked at for each row below them", () => {
  expect(looksAtDeletion(COUNT / 2, () => 1_000)).toBeLessThan(COUNT / 10);
});

test("[D32, Q42] of very many deletions that have seen different things the nearest ones count", () => {
  expect(looksAtDeletion(0, (depth) => depth)).toBeLessThan(COUNT / 2);
});
