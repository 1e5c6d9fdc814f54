import type { Outline } from "../../../src/core/outline.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";

/** A node with all below it, in order; what is compared before and after a fault. */
export interface TreeNode {
  /** The short id. Undefined while nobody was told of it: then any will do. */
  readonly key: string | undefined;
  readonly name: string;
  readonly note: string | null;
  readonly completed: boolean;
  readonly children: readonly TreeNode[];
}

/** A node as the API exports it, as far as it is compared. */
export interface ExportedNode {
  readonly id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly note: string | null;
  readonly completed: boolean;
}

const KEY_DIGITS = 12;

export function keyOfId(id: string): string {
  return id.slice(-KEY_DIGITS);
}

/** The trees at the top level of an export, which comes in document order. */
export function treesOfExport(nodes: readonly ExportedNode[]): readonly TreeNode[] {
  const below = new Map<string | null, ExportedNode[]>();
  for (const node of nodes) {
    const siblings = below.get(node.parent_id);
    if (siblings === undefined) below.set(node.parent_id, [node]);
    else siblings.push(node);
  }
  const treesBelow = (parent: string | null): TreeNode[] =>
    (below.get(parent) ?? []).map(({ id, name, note, completed }) => {
      return { key: keyOfId(id), name, note, completed, children: treesBelow(id) };
    });
  return treesBelow(null);
}

/** The same of an outline in memory. */
export function treesOfOutline(outline: Outline, parent: NodeKey): readonly TreeNode[] {
  return outline.children(parent).map(({ key, name, note, completedAt }) => {
    const completed = completedAt !== null;
    return { key, name, note, completed, children: treesOfOutline(outline, key) };
  });
}

/** Where two trees differ first, in words; undefined when they don't. */
export function differenceOf(expected: TreeNode, actual: TreeNode): string | undefined {
  if (expected.key !== undefined && expected.key !== actual.key) {
    return `${textOf(expected)} in place of ${textOf(actual)}`;
  }
  if (
    expected.name !== actual.name ||
    expected.note !== actual.note ||
    expected.completed !== actual.completed
  ) {
    return `${textOf(actual)} should be ${textOf(expected)}`;
  }
  if (expected.children.length !== actual.children.length) {
    const names = (children: readonly TreeNode[]) => children.map(textOf).join(", ");
    return `below "${actual.name}" are [${names(actual.children)}] and should be [${names(expected.children)}]`;
  }
  for (const [index, child] of expected.children.entries()) {
    const other = actual.children[index];
    const difference = other && differenceOf(child, other);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function textOf({ key = "new", name, note, completed }: TreeNode): string {
  return `${key} "${name}"${note === null ? "" : ` (${note})`}${completed ? " done" : ""}`;
}

/** All nodes of a tree, the top first. */
export function* nodesIn(tree: TreeNode): Generator<TreeNode> {
  yield tree;
  for (const child of tree.children) yield* nodesIn(child);
}
