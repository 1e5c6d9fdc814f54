import type * as Y from "yjs";
import { checkOutline } from "../../src/core/check-outline.ts";
import { ROOT, type NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { naiveOutline, naiveTree } from "./naive-tree.ts";

function fail(what: string, details: unknown): never {
  throw new Error(`${what}: ${JSON.stringify(details)}`);
}

/** Where every known node is shown, one line each. */
function shownTree(outline: Outline): readonly string[] {
  const lines = [...outline.tree.rows()].map((row) =>
    [row.key, row.parent?.key, row.order, row.deletion].join(" "),
  );
  return lines.toSorted();
}

/** Every visible node with all it holds, in document order, one line each. */
export function shownNodes(outline: Outline): readonly string[] {
  return [...outline.nodesInOrder()].map((node) => JSON.stringify(node));
}

/** The whole text of every known node, hidden ones too, one line each. */
function allTexts({ doc }: Outline): readonly string[] {
  const lines: string[] = [];
  doc.getMap<Y.Text>("nodes").forEach((text, key) => {
    lines.push(`${key} ${JSON.stringify(text.toDelta())}`);
  });
  return lines.toSorted();
}

function shortcuts(outline: Outline): readonly string[] {
  return outline.shortcuts().map((shortcut) => JSON.stringify(shortcut));
}

/** The index is what the rules say, every node has one shown parent and reaches the root. */
export function assertIndex(outline: Outline): void {
  const errors = checkOutline(outline).filter(
    // A device may get updates of another before those that they follow.
    ({ isError, kind }) => isError && kind !== "pending_updates",
  );
  if (errors.length > 0) fail("the check finds errors", errors);
  const naive = naiveTree(outline.doc);
  if (naive.size !== outline.tree.knownCount) fail("not the same nodes", [naive.size]);
  for (const row of outline.tree.rows()) {
    const wanted = naive.get(row.key);
    const shown = {
      parent: row.parent?.key,
      order: row.order,
      isDeleted: row.deletion !== undefined,
      origin: outline.tree.mirrors.originOf(row.key),
    };
    if (JSON.stringify(shown) !== JSON.stringify(wanted)) {
      fail("the index differs from the rules", { key: row.key, shown, wanted });
    }
  }
  const inOrder = [...outline.keysInOrder()];
  const wanted = naiveOutline(naive).map(({ key }) => key);
  if (inOrder.join() !== wanted.join()) fail("document order differs", { inOrder, wanted });
  if (outline.size !== inOrder.length) fail("the size differs", outline.size);
  for (const key of inOrder.slice(0, 3)) assertRank(outline, key);
}

function assertRank(outline: Outline, key: NodeKey): void {
  const node = outline.node(key);
  const siblings = outline.childKeys(node?.parent ?? ROOT);
  if (node === undefined || siblings[node.rank] !== key) fail("the rank is wrong", { key });
}

/** After a purge there is no mirror of what has been removed, but those in which something was put. */
export function assertNoBereft({ tree }: Outline): void {
  for (const key of tree.mirrors.origins()) {
    if (!tree.isGone(key)) continue;
    for (const mirror of tree.mirrors.of(key)) {
      if (tree.countOrphansOf(mirror.key) === 0) fail("a mirror of what is gone", mirror.key);
    }
  }
}

/** Two replicas with the same updates show the same. */
export function assertEqual(a: Outline, b: Outline, what: string): void {
  if (a.doc.store.pendingStructs !== null) fail(`${what}: updates are missing`, []);
  for (const lines of [shownTree, shownNodes, allTexts, shortcuts]) {
    assertSameLines(lines(a), lines(b), `${what}: ${lines.name}`);
  }
}

export function assertSameLines(a: readonly string[], b: readonly string[], what: string): void {
  if (a.join("\n") === b.join("\n")) return;
  const onlyIn = (some: readonly string[], others: readonly string[]): readonly string[] =>
    some.filter((line) => !others.includes(line)).slice(0, 5);
  fail(what, [onlyIn(a, b), onlyIn(b, a)]);
}
