import type { Random } from "../../../src/core/node-key.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import { nodesIn, type TreeNode } from "./outline-tree.ts";

type Position = "top" | "bottom";

/** One edit of a tree whose top stays as it is. */
export type TreeStep =
  | {
      readonly kind: "create";
      readonly parent: string;
      readonly position: Position;
      readonly name: string;
    }
  | { readonly kind: "rename"; readonly key: string; readonly name: string }
  | { readonly kind: "note"; readonly key: string; readonly note: string }
  | { readonly kind: "complete"; readonly key: string; readonly completed: boolean }
  | {
      readonly kind: "move";
      readonly key: string;
      readonly parent: string;
      readonly position: Position;
    }
  | { readonly kind: "delete"; readonly key: string };

/** Enough for depth and subtrees, and cheap to read back after every fault. */
const MAX_NODES = 24;
const POSITIONS = ["top", "bottom"] as const;

/** A random edit that can be made. @param text is in every text of it, and should be used once */
export function randomStep(tree: TreeNode, random: Random, text: string): TreeStep {
  const nodes = [...nodesIn(tree)];
  const keys = nodes.slice(1).map(keyOf);
  const parent = keyOf(oneOf(random, nodes));
  const position = oneOf(random, POSITIONS);
  const create: TreeStep = { kind: "create", parent, position, name: `${text} made` };
  if (keys.length < 3) return create;
  const key = oneOf(random, keys);
  const draw = random();
  if (nodes.length > MAX_NODES || draw < 0.12) return { kind: "delete", key };
  if (draw < 0.4) return create;
  if (draw < 0.6) return { kind: "rename", key, name: `${text} renamed` };
  if (draw < 0.7) return { kind: "note", key, note: `${text} noted` };
  const node = nodeAt(tree, key);
  if (draw < 0.8) return { kind: "complete", key, completed: !node.completed };
  const below = new Set([...nodesIn(node)].map(keyOf));
  const places = nodes.map(keyOf).filter((place) => !below.has(place));
  const to = places[integerBelow(random, places.length)] ?? keyOf(tree);
  return { kind: "move", key, parent: to, position };
}

/** The tree after an edit. */
export function afterStep(tree: TreeNode, step: TreeStep): TreeNode {
  switch (step.kind) {
    case "create": {
      const { name, parent, position } = step;
      const node = { key: undefined, name, note: null, completed: false, children: [] };
      return withChild(tree, parent, position, node);
    }
    case "rename":
      return changed(tree, step.key, (node) => ({ ...node, name: step.name }));
    case "note":
      return changed(tree, step.key, (node) => ({ ...node, note: step.note }));
    case "complete":
      return changed(tree, step.key, (node) => ({ ...node, completed: step.completed }));
    case "move": {
      const { key, parent, position } = step;
      return withChild(without(tree, key), parent, position, nodeAt(tree, key));
    }
    case "delete":
      return without(tree, step.key);
  }
}

/** The tree, with the id of the one node that nobody was told of. */
export function withNewKey(tree: TreeNode, key: string): TreeNode {
  if (tree.key === undefined) return { ...tree, key };
  return { ...tree, children: tree.children.map((child) => withNewKey(child, key)) };
}

function keyOf({ key }: TreeNode): string {
  if (key === undefined) throw new Error("edits follow one another: every id is known");
  return key;
}

function nodeAt(tree: TreeNode, key: string): TreeNode {
  for (const node of nodesIn(tree)) if (node.key === key) return node;
  throw new Error(`no node ${key}`);
}

function changed(tree: TreeNode, key: string, change: (node: TreeNode) => TreeNode): TreeNode {
  if (tree.key === key) return change(tree);
  return { ...tree, children: tree.children.map((child) => changed(child, key, change)) };
}

function without(tree: TreeNode, key: string): TreeNode {
  const children = tree.children.filter((child) => child.key !== key);
  return { ...tree, children: children.map((child) => without(child, key)) };
}

function withChild(tree: TreeNode, parent: string, position: Position, child: TreeNode): TreeNode {
  return changed(tree, parent, (node) => {
    const { children } = node;
    return { ...node, children: position === "top" ? [child, ...children] : [...children, child] };
  });
}
