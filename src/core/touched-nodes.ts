import * as Y from "yjs";
import type { ClientArrivals } from "./node/arrival-record.ts";
import type { NodeKey } from "./node-key.ts";
import { ATTRIBUTE, ownerOf } from "./schema.ts";
import type { TreeIndex } from "./tree/tree-index.ts";
import { itemsBetween } from "./yjs/struct-store.ts";

/** What a transaction has changed, as far as it says so itself. */
export interface TouchedNodes {
  /** The nodes whose content may differ from before. */
  readonly nodes: Set<NodeKey>;
  /** Those of which the tree has to look again where they are. */
  readonly refreshed: ReadonlySet<string>;
}

/**
 * Finds the nodes that a transaction has changed. To be asked when it ends, before the tree follows.
 * O(what has changed).
 * @param nodes the map of all nodes
 * @param arrivals what the transaction says of when earlier things came
 */
export function touchedBy(
  transaction: Y.Transaction,
  nodes: Y.Map<Y.Text>,
  tree: TreeIndex,
  arrivals: Iterable<ClientArrivals>,
): TouchedNodes {
  const touched = new Set<NodeKey>();
  const refreshed = new Set<string>();
  for (const each of arrivals) {
    for (const key of datedIn(each, transaction.doc, nodes)) touched.add(key);
  }
  for (const [type, names] of transaction.changed) {
    if (Object.is(type, nodes)) {
      for (const key of names) {
        if (key === null) continue;
        refreshed.add(key);
        // Another text may be there now that says the same of its place, and something else besides.
        touched.add(key as NodeKey);
      }
      continue;
    }
    const owner = ownerOf(nodes, type);
    if (owner === undefined) continue;
    touched.add(owner.key);
    if (owner.isNode && (mayPlace(names) || tree.rowAt(owner.key) === undefined)) {
      refreshed.add(owner.key);
    }
  }
  return { nodes: touched, refreshed };
}

/** The nodes of which arrivals say when something in them came. O(what came). */
function* datedIn(arrivals: ClientArrivals, doc: Y.Doc, nodes: Y.Map<Y.Text>): Generator<NodeKey> {
  for (const [client, ranges] of arrivals) {
    for (const { from, end } of ranges) {
      for (const { parent } of itemsBetween(doc, client, from, end)) {
        const owner = parent instanceof Y.AbstractType ? ownerOf(nodes, parent) : undefined;
        if (owner !== undefined) yield owner.key;
      }
    }
  }
}

/** Whether changed attributes of a node are among those that say where it is shown. */
function mayPlace(names: ReadonlySet<string | null>): boolean {
  return [ATTRIBUTE.placement, ATTRIBUTE.deletion, ATTRIBUTE.origin].some((each) =>
    names.has(each),
  );
}
