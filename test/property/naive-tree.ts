import type * as Y from "yjs";
import {
  isNodeKey,
  isReservedKey,
  ROOT,
  systemNodeOf,
  type NodeKey,
} from "../../src/core/node-key.ts";
import { parsePlacement, type Placement } from "../../src/core/tree/placement.ts";

/** Where a node is shown, and whether it is itself marked deleted. */
export interface NaiveNode {
  readonly parent: string;
  readonly order: string;
  readonly isDeleted: boolean;
  /** What it is a mirror of. */
  readonly origin?: string;
}

/**
 * The tree by the rules of docs/SPEC.md (D), worked out from scratch with no thought of speed and
 * without any code of the index: what the index is compared with.
 */
export function naiveTree(doc: Y.Doc): ReadonlyMap<string, NaiveNode> {
  const known = new Map<string, Placement & { isDeleted: boolean; origin?: string }>();
  doc.getMap<Y.Text>("nodes").forEach((text, key) => {
    if (!isNodeKey(key) || key === ROOT) return;
    if (isReservedKey(key) && systemNodeOf(key) === undefined) return;
    const placement = parsePlacement(String(text.getAttribute("p") ?? ""));
    const isDeleted = /^[ft]/.test(String(text.getAttribute("d") ?? ""));
    const said = String(text.getAttribute("r") ?? "");
    const isMirror = isNodeKey(said) && said !== ROOT && said !== key && !isReservedKey(key);
    const origin = isMirror ? { origin: said } : {};
    if (placement !== undefined) known.set(key, { ...placement, isDeleted, ...origin });
    else if (!isReservedKey(key) && (text._start !== null || text._map.has("p"))) {
      const nowhere = { parent: "nowhere" as NodeKey, order: "V", createdAt: 0 };
      known.set(key, { ...nowhere, isDeleted, ...origin });
    }
  });
  const get = (key: string) => known.get(key);
  const canHold = (key: string): boolean =>
    key === ROOT || (known.has(key) && get(key)?.origin === undefined);

  const fallen = new Set<string>();
  for (const [key, { parent }] of known) {
    if (!canHold(parent)) fallen.add(key);
    const ring = ringOf(key, (at) => {
      const above = get(at)?.parent;
      return above !== undefined && canHold(above) ? above : undefined;
    });
    const cut = ring.toSorted((a, b) => {
      const [timeA, timeB] = [get(a)?.move?.at ?? -1, get(b)?.move?.at ?? -1];
      return timeB - timeA || (a < b ? 1 : -1);
    })[0];
    if (cut !== undefined) fallen.add(cut);
  }

  const shown = new Map<string, { parent: string; order: string }>();
  for (const [key, { parent, order }] of known) {
    shown.set(key, fallen.has(key) ? { parent: ROOT, order: `~${order}` } : { parent, order });
  }
  for (const key of [...fallen].toSorted()) {
    const node = get(key);
    const origin = node && get(node.parent)?.origin;
    const inOrigin =
      node && origin !== undefined ? { parent: origin, order: node.order } : undefined;
    const from = inOrigin ?? node?.move?.from;
    if (from === undefined || !canHold(from.parent)) continue;
    let at: string | undefined = from.parent;
    while (at !== undefined && at !== ROOT && at !== key) at = shown.get(at)?.parent;
    if (at === ROOT) shown.set(key, from);
  }
  return new Map(
    [...known].map(([key, { isDeleted, origin }]) => {
      const { parent, order } = shown.get(key) ?? { parent: "", order: "" };
      return [key, { parent, order, isDeleted, ...(origin !== undefined && { origin }) }];
    }),
  );
}

/** The keys of the ring of parents that `key` is in; empty when it is in none. */
function ringOf(key: string, parentOf: (key: string) => string | undefined): readonly string[] {
  const ring = [key];
  const seen = new Set(ring);
  for (let at = parentOf(key); at !== undefined && at !== ROOT; at = parentOf(at)) {
    if (at === key) return ring;
    if (seen.has(at)) return [];
    seen.add(at);
    ring.push(at);
  }
  return [];
}

/** Whether a node is a mirror of what is not shown, or is a mirror itself. */
function isCovered(nodes: ReadonlyMap<string, NaiveNode>, key: string): boolean {
  const origin = nodes.get(key)?.origin;
  if (origin === undefined) return false;
  if (nodes.get(origin)?.origin !== undefined) return true;
  for (let at = origin; at !== ROOT; at = nodes.get(at)?.parent ?? ROOT) {
    const node = nodes.get(at);
    if (node === undefined || node.isDeleted) return true;
  }
  return false;
}

/** The visible nodes below the root in document order, with their depth. */
export function naiveOutline(
  nodes: ReadonlyMap<string, NaiveNode>,
): readonly { readonly key: string; readonly depth: number }[] {
  const children = new Map<string, string[]>();
  for (const [key, { parent }] of nodes) {
    children.set(parent, [...(children.get(parent) ?? []), key]);
  }
  const compare = (a: string, b: string): number => {
    const [orderA, orderB] = [nodes.get(a)?.order ?? "", nodes.get(b)?.order ?? ""];
    return orderA < orderB ? -1 : orderA > orderB ? 1 : a < b ? -1 : 1;
  };
  const listed: { key: string; depth: number }[] = [];
  const visit = (parent: string, depth: number): void => {
    for (const key of (children.get(parent) ?? []).toSorted(compare)) {
      if (nodes.get(key)?.isDeleted === true || isCovered(nodes, key)) continue;
      listed.push({ key, depth });
      visit(key, depth + 1);
    }
  };
  visit(ROOT, 1);
  return listed;
}
