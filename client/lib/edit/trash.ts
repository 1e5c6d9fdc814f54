import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Destination } from "../../../src/core/tree/destinations.ts";
import type { Outline } from "../../../src/core/outline.ts";
import type { Change, RestoredNode, TrashedNode } from "./change.ts";
import { isAt, placeOf, sharesOrder, wayBack } from "./place-of-node.ts";
import type { PlaceVersions } from "./place-versions.ts";

export type Trashed = Extract<Change, { readonly kind: "trashed" }>;
export type Restored = Extract<Change, { readonly kind: "restored" }>;

/**
 * Puts nodes into the trash and takes them out again, and says what it did in a way that can be
 * reversed. Every method is called inside a transaction.
 */
export class Trash {
  readonly #outline: Outline;
  readonly #places: PlaceVersions;
  readonly #seq: () => number;

  /** @param seq what this device has of the log: nothing beyond it is part of what it trashes */
  constructor(outline: Outline, places: PlaceVersions, seq: () => number) {
    this.#outline = outline;
    this.#places = places;
    this.#seq = seq;
  }

  /** Trashes those of the nodes that are visible when it is their turn. */
  put(keys: readonly NodeKey[]): Trashed | undefined {
    const nodes: TrashedNode[] = [];
    for (const key of keys) {
      const from = placeOf(this.#outline, key);
      const version = this.#places.of(key);
      if (from === undefined || this.#outline.trash(key, this.#seq()).kind !== "ok") continue;
      nodes.push({ key, from, version, hiddenVersion: version });
    }
    return nodes.length === 0 ? undefined : { kind: "trashed", nodes };
  }

  /** Takes one node out, to where the outline puts it. */
  take(key: NodeKey): Restored | undefined {
    const hiddenVersion = this.#places.of(key);
    const rescued = this.#rescued();
    if (this.#outline.restore(key).kind !== "ok") return undefined;
    return this.#restored([{ key, hiddenVersion }], rescued);
  }

  /** Deletes for good what is in the trash: that can't be reversed. */
  discard(key: NodeKey): void {
    this.#outline.discard(key, this.#seq());
  }

  /** Takes out what was put in, to where each node was as far as nobody has moved it since. */
  takeBack({ nodes }: Trashed): Restored | undefined {
    const back: RestoredNode[] = [];
    const rescued = this.#rescued();
    // The last that went had the fewest neighbours: it comes back first.
    for (const { key, from, version, hiddenVersion } of nodes.toReversed()) {
      const now = this.#places.of(key);
      if (this.#outline.restore(key).kind !== "ok") continue;
      back.push({ key, hiddenVersion: now });
      const to = wayBack(this.#outline, from);
      if (now !== hiddenVersion || to === undefined) continue;
      if (!isAt(this.#outline, key, from)) this.#outline.move(key, to);
      else if (sharesOrder(this.#outline, key)) this.#reorder(key, to);
      this.#places.returnedTo(key, version);
    }
    return back.length === 0 ? undefined : this.#restored(back.reverse(), rescued);
  }

  /** Puts back what was taken out. */
  putBack(nodes: readonly RestoredNode[]): Trashed | undefined {
    const trashed = this.put(nodes.map(({ key }) => key));
    if (trashed === undefined) return undefined;
    const hidden = new Map(nodes.map(({ key, hiddenVersion }) => [key, hiddenVersion]));
    return {
      kind: "trashed",
      nodes: trashed.nodes.map((node) => {
        const hiddenVersion = hidden.get(node.key) ?? node.version;
        this.#places.returnedTo(node.key, hiddenVersion);
        return { ...node, hiddenVersion };
      }),
    };
  }

  /** Gives a node an order of its own at the place where it is. */
  #reorder(key: NodeKey, { parent, position = "top" }: Destination): void {
    const { tree, treeWriter } = this.#outline;
    const [row, parentRow] = [tree.visibleRow(key), tree.visibleRow(parent)];
    if (row === undefined || parentRow === undefined) return;
    const gap = treeWriter.gapAt(parentRow, position, row);
    if (gap !== undefined) treeWriter.move(row, { parent, order: treeWriter.orderFor(gap) });
  }

  /** What was rescued out of deleted nodes, and goes back into them: it never was in the trash. */
  #rescued(): ReadonlySet<NodeKey> {
    const keys = new Set<NodeKey>();
    for (const rows of this.#outline.tree.rescuedRows().values()) {
      for (const { key } of rows) keys.add(key);
    }
    return keys;
  }

  #restored(nodes: readonly RestoredNode[], rescued: ReadonlySet<NodeKey>): Restored {
    const keys = nodes.flatMap(({ key }) => [key, ...this.#outline.keysInOrder(key)]);
    return { kind: "restored", nodes, keys: keys.filter((key) => !rescued.has(key)) };
  }
}
