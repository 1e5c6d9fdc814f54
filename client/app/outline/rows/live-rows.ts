import { type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import { completedAtOf } from "../../../../src/core/node/completion.ts";
import type { Outline } from "../../../../src/core/outline.ts";
import type { OutlineChange } from "../../../../src/core/outline-view.ts";
import { nodesOf, textOf } from "../../../../src/core/schema.ts";
import { isVisible, isWithin, type TreeRow } from "../../../../src/core/tree/tree-row.ts";
import type { FoundRows } from "../../search/find-rows.ts";
import { Cell, type Source } from "../../state/source.ts";
import type { Folds } from "./folds.ts";
import { hashOfKey } from "./hash-place.ts";
import type { Place } from "./place.ts";
import { indexOfNode, refoldedRows, updatedRows } from "./row-update.ts";
import type { RowSearch } from "./row-search.ts";
import { aboveRow, keyOf, type RowId, viaOf } from "./row-id.ts";
import { rowsBelow, type RowView } from "./row-view.ts";
import type { VisibleRow } from "./visible-row.ts";

export interface RowsPorts {
  /** The outline now; another one after `renew`. */
  readonly outline: () => Outline;
  readonly folds: Folds;
  readonly place: Place;
  readonly hidesCompleted: Source<boolean>;
  /**
   * What a query finds below a node. Undefined while that can't be said: then nothing is left out, until
   * `renew`.
   */
  readonly find: (query: string, from: NodeKey) => FoundRows | undefined;
  /** Puts the caret into a node that was zoomed to. */
  readonly caret: (key: NodeKey) => void;
}

/** From so many changed nodes or folds on, flattening everything costs less than one by one. */
const BULK = 48;

/**
 * What is looked at: part of the outline, flattened to rows, kept up with the outline, the folds, the
 * address and the search. Belongs to the device, is never undone.
 */
export class LiveRows {
  /** The node that is looked into; `ROOT` is home. */
  readonly zoom = new Cell<NodeKey>(ROOT);
  /** The rows below the zoomed node; another array whenever the structure of what is shown changes. */
  readonly rows = new Cell<readonly VisibleRow[]>([]);
  /** The text of the search box; empty shows everything. */
  readonly query = new Cell("");
  /** How many lines the search has found; undefined without one. */
  readonly found = new Cell<number | undefined>(undefined);
  /** Stands for zoom and search together; changes once with both of them, before the rows do. */
  readonly address = new Cell("");
  readonly #ports: RowsPorts;
  readonly #stops: (() => void)[] = [];
  #stopOutline: () => void = () => {};
  #view: RowView;
  /** Completed nodes that are shown all the same, since somebody was brought to them. */
  readonly #kept = new Set<NodeKey>();
  #search: RowSearch | undefined;
  /** Where `indexOf` found something last: it is asked for neighbours. */
  #hint = 0;

  constructor(ports: RowsPorts) {
    this.#ports = ports;
    this.#view = this.#newView();
    this.#follow();
    this.#adoptPlace();
    this.#stops.push(
      ports.place.onChange(() => this.#adoptPlace()),
      ports.hidesCompleted.subscribe(() => {
        this.#kept.clear();
        this.#rebuild();
      }),
    );
  }

  /** The outline has become another one. */
  renew(): void {
    this.#view = this.#newView();
    this.#follow();
    this.#zoomToNearest();
    if (this.query.get() !== "") this.#find(this.query.get());
    this.#rebuild();
  }

  close(): void {
    this.#stopOutline();
    for (const stop of this.#stops) stop();
  }

  zoomTo(asked: NodeKey, options: { readonly caret?: boolean } = {}): void {
    const key = this.#ports.outline().heldBy(asked);
    if (this.#nodeOf(key) === undefined) return;
    const { place } = this.#ports;
    if (key !== this.zoom.get() || key !== place.read()) place.go(key, false);
    if (key !== this.zoom.get()) this.#show(key, "");
    if (options.caret === true) this.#ports.caret(key);
  }

  /**
   * Shows what a query finds, in the address too: as a step to go back from when it begins or ends a
   * search, or when it `isStep`; else in the place of the query before.
   */
  search(query: string, isStep = false): void {
    const text = query.trim() === "" ? "" : query;
    const before = this.query.get();
    if (text === before) return;
    this.#ports.place.go(this.zoom.get(), before !== "" && text !== "" && !isStep, text);
    const isOther = this.#find(text);
    this.query.set(text);
    this.address.set(hashOfKey(this.zoom.get(), text));
    if (isOther) this.#rebuild();
  }

  isCollapsed(id: RowId): boolean {
    return this.#ports.folds.has(id);
  }

  setCollapsed(ids: Iterable<RowId>, isCollapsed: boolean): void {
    const asked = [...ids];
    if (this.#search !== undefined) {
      this.#search.fold(asked, isCollapsed);
      this.#rebuild();
      return;
    }
    const changed = this.#ports.folds.set(asked, isCollapsed);
    if (changed.length > BULK) this.#rebuild();
    else if (changed.length > 0) this.rows.set(this.#refolded(changed));
  }

  /** -1 for what has no row. */
  indexOf(id: RowId): number {
    const node = this.#ports.outline().tree.rowAt(keyOf(id));
    const index =
      node === undefined ? -1 : indexOfNode(this.rows.get(), node, this.#hint, viaOf(id));
    if (index >= 0) this.#hint = index;
    return index;
  }

  /**
   * Opens what hides a row, zooming out when it is elsewhere. Answers what is shown then: the row at the
   * node's own place where it is no more in that mirror.
   */
  reveal(id: RowId): RowId {
    const outline = this.#ports.outline();
    const key = keyOf(id);
    // The mirror, or the node itself, that stands at its own place.
    let outer = id;
    for (let via = viaOf(id); via !== ""; via = viaOf(via)) outer = via;
    const node = this.#nodeOf(keyOf(outer));
    if (node === undefined || node.parent === undefined) return id === key ? id : this.reveal(key);
    let zoom = this.#zoomNode();
    while (!isWithin(node, zoom)) zoom = zoom.parent ?? outline.tree.root;
    if (zoom.key !== this.zoom.get()) this.zoomTo(zoom.key);
    if (id === zoom.key) return id;
    const collapsed: RowId[] = [];
    let isKept = false;
    let up: RowId | undefined = id;
    for (; up !== undefined && up !== zoom.key; up = aboveRow(outline, up)) {
      if (up !== id && this.isCollapsed(up)) collapsed.push(up);
      const row = this.#nodeOf(keyOf(up));
      if (row !== undefined && !this.#view.isShown(row)) {
        this.#kept.add(row.key);
        isKept = true;
      }
      if (this.#search?.unfold(up) === true) isKept = true;
    }
    if (up === undefined) return id === key ? id : this.reveal(key);
    if (this.#search !== undefined && this.indexOf(id) < 0) {
      this.#search.keep([node]);
      isKept = true;
    }
    this.#ports.folds.set(collapsed, false);
    if (isKept || collapsed.length > 0) this.#rebuild();
    return id === key || this.indexOf(id) >= 0 ? id : this.reveal(key);
  }

  #newView(): RowView {
    const nodes = nodesOf(this.#ports.outline().doc);
    const { tree } = this.#ports.outline();
    const { hidesCompleted, folds } = this.#ports;
    return {
      isCollapsed: (id) => folds.has(id),
      heldBy(node) {
        const origin = tree.mirrors.size === 0 ? undefined : tree.mirrors.originOf(node.key);
        return (origin && tree.rowAt(origin)) ?? node;
      },
      isShown: ({ key }) => {
        if (!hidesCompleted.get() || this.#kept.has(key)) return true;
        const text = textOf(nodes, this.#ports.outline().heldBy(key));
        return text === undefined || completedAtOf(text) === null;
      },
    };
  }

  #follow(): void {
    this.#stopOutline();
    this.#stopOutline = this.#ports.outline().onChange((change) => this.#take(change));
  }

  #take({ nodes, placed }: OutlineChange): void {
    const affected = this.#ports.hidesCompleted.get() ? nodes : placed;
    if (affected.size === 0) return;
    const { place } = this.#ports;
    const wished = this.#ports.outline().heldBy(place.read());
    if (wished !== this.zoom.get() && this.#nodeOf(wished) !== undefined) {
      return this.#show(wished, place.query());
    }
    if (this.#zoomToNearest()) return;
    const { tree } = this.#ports.outline();
    if (this.#search !== undefined) {
      // What is written while something is looked for stays in sight, whatever it says.
      const kept = Array.from(placed, (key) => tree.rowAt(key));
      this.#search.keep(kept.filter((node) => node !== undefined));
      return this.#rebuild();
    }
    if (affected.size > BULK) return this.#rebuild();
    const changed = Array.from(affected, (key) => tree.rowAt(key) ?? key);
    this.rows.set(updatedRows(this.rows.get(), this.#zoomNode(), changed, this.#view));
  }

  /** The rows after a few folds. */
  #refolded(ids: readonly RowId[]): readonly VisibleRow[] {
    const { tree } = this.#ports.outline();
    const changed = ids.flatMap((id) => {
      const node = tree.rowAt(keyOf(id));
      return node === undefined ? [] : { node, via: viaOf(id) };
    });
    return refoldedRows(this.rows.get(), this.#zoomNode(), changed, this.#view, this.#hint);
  }

  #rebuild(): void {
    const zoom = this.#zoomNode();
    this.rows.set(
      this.#search === undefined
        ? rowsBelow(zoom, 0, this.#view)
        : this.#search.rowsBelow(zoom, this.#view),
    );
  }

  /** False when that shows what is shown already. */
  #find(query: string): boolean {
    const found = query === "" ? undefined : this.#ports.find(query, this.zoom.get());
    this.found.set(found?.matches.length);
    if (found !== undefined && this.#search?.finds(found.matches) === true) return false;
    this.#search = found?.show();
    return true;
  }

  /** The address says where to look, as soon as that node is there, and what for. */
  #adoptPlace(): void {
    const { place } = this.#ports;
    const wished = this.#ports.outline().heldBy(place.read());
    const isThere = this.#nodeOf(wished) !== undefined;
    this.#show(isThere ? wished : ROOT, isThere ? place.query() : "");
  }

  /** Shows a node and a search in it, without touching the address. */
  #show(key: NodeKey, query: string): void {
    const isOther = key !== this.zoom.get();
    if (isOther) this.#kept.clear();
    const isOtherSearch = isOther || query !== this.query.get();
    this.zoom.set(key);
    if (isOtherSearch) this.#find(query);
    this.address.set(hashOfKey(key, query));
    this.#rebuild();
    this.query.set(query);
  }

  /** Leaves a node that is gone for what is left above it. True when that was so. */
  #zoomToNearest(): boolean {
    const { tree } = this.#ports.outline();
    const zoom = tree.rowAt(this.zoom.get());
    if (zoom !== undefined && isVisible(zoom)) return false;
    let up = zoom?.parent;
    while (up !== undefined && !isVisible(up)) up = up.parent;
    const key = up?.key ?? ROOT;
    this.#ports.place.go(key, true);
    this.#show(key, "");
    return true;
  }

  #zoomNode(): TreeRow {
    const { tree } = this.#ports.outline();
    return tree.rowAt(this.zoom.get()) ?? tree.root;
  }

  #nodeOf(key: NodeKey): TreeRow | undefined {
    return this.#ports.outline().tree.visibleRow(key);
  }
}
