import { ADDED_CHAIN, addedNodes, type Addition, sumOf } from "../core/room/addition.ts";
import { DEFAULT_LAYOUT } from "../core/node/layout.ts";
import { monthKey, type NodeKey, systemNodeOf } from "../core/node-key.ts";
import type { OutlineEntry } from "../formats/outline-entry.ts";

/** What the entries of an import add to an outline, counted as they come. */
export class AddedEntries {
  /** Reserved nodes are seeded a month at a time; at most one for each entry of an import. [Q2] */
  readonly #seeds = new Set<NodeKey>();
  #sum: Addition = ADDED_CHAIN;

  get sum(): Addition {
    return this.#sum;
  }

  add({ key, origin, name, note, layout, completedAt, modifiedAt }: OutlineEntry): void {
    const attributes =
      Number(layout !== DEFAULT_LAYOUT) +
      Number(completedAt !== undefined) +
      Number(modifiedAt !== undefined) +
      Number(origin !== undefined);
    const added = addedNodes(1, name, note ?? "", attributes);
    this.#sum = sumOf(this.#sum, origin === undefined ? added : { ...added, mirrors: 1 });
    const seed = key === undefined ? undefined : seedOf(key);
    if (seed === undefined || this.#seeds.has(seed)) return;
    this.#seeds.add(seed);
    this.#sum = sumOf(this.#sum, ADDED_CHAIN);
  }
}

/** What stands for all the reserved nodes that are made with one. */
function seedOf(key: NodeKey): NodeKey | undefined {
  const node = systemNodeOf(key);
  return node?.kind === "day" ? monthKey(node.year, node.month) : node && key;
}
