import type { NodeKey } from "./node-key.ts";
import type { OutlineChange, OutlineView } from "./outline-view.ts";
import { NOWHERE, type ShownPlace } from "./tree/places-before.ts";
import { foundAbove, type TreeRow } from "./tree/tree-row.ts";

/**
 * The nodes that have changed; with where it was before, for one whose place is another now, or another
 * one among its siblings.
 */
export type ChangedNodes = ReadonlyMap<NodeKey, ShownPlace | undefined>;

/** Where a row is now. */
export function shownPlaceOf(outline: OutlineView, key: NodeKey): ShownPlace {
  const { mirrors } = outline.tree;
  const row = outline.tree.rowAt(key);
  if (row?.parent === undefined) return NOWHERE;
  const isHidden = row.deletion !== undefined || mirrors.isCovered(row);
  return { parent: row.parent.key, isHidden };
}

/**
 * Gathers which nodes of an outline change, as far as that is seen in what the API says of them: hidden
 * ones and removed ones too, and what has a mirror that comes into sight or out of it.
 */
export class ChangeRecorder {
  readonly #outline: OutlineView;
  /** Of the change under way: at most all rows [Q40]. */
  #changed = new Map<NodeKey, ShownPlace | undefined>();

  /** Follows the outline from now on, until that is detached. */
  constructor(outline: OutlineView) {
    this.#outline = outline;
    outline.tree.before.follow();
    outline.onChange((change) => this.#gather(change));
  }

  /** What has changed since this was last called. */
  take(): ChangedNodes {
    const changed = this.#changed;
    if (changed.size === 0) return NONE;
    this.#changed = new Map();
    return changed;
  }

  #gather({ nodes, before }: OutlineChange): void {
    const { tree } = this.#outline;
    const moved = new Set<TreeRow>();
    for (const [row, place] of before) {
      const now = shownPlaceOf(this.#outline, row.key);
      const isThere = now.parent === place.parent && now.isHidden === place.isHidden;
      if (isThere && !nodes.has(row.key)) continue;
      if (!isThere) moved.add(row);
      if (this.#changed.get(row.key) === undefined) this.#changed.set(row.key, place);
    }
    for (const key of nodes) {
      if (tree.rowAt(key) !== undefined && !this.#changed.has(key)) {
        this.#changed.set(key, undefined);
      }
    }
    if (tree.mirrors.size > 0) this.#gatherOrigins(nodes, moved);
  }

  /** What a node says of its mirrors depends on where they are, and a mirror on where its origin is. */
  #gatherOrigins(nodes: ReadonlySet<NodeKey>, moved: ReadonlySet<TreeRow>): void {
    const { mirrors } = this.#outline.tree;
    for (const key of nodes) {
      const origin = mirrors.originOf(key);
      if (origin !== undefined) this.#note(origin);
    }
    if (![...moved].some((row) => this.#mayHoldMirrors(row))) return;
    const known = new Map<TreeRow, boolean>();
    const hasMoved = (row: TreeRow): boolean =>
      foundAbove(row, known, (up) => moved.has(up) || undefined, false);
    for (const origin of mirrors.origins()) {
      const rows = [this.#outline.tree.rowAt(origin), ...mirrors.of(origin)];
      if (rows.some((row) => row !== undefined && hasMoved(row))) this.#note(origin);
    }
  }

  #mayHoldMirrors(row: TreeRow): boolean {
    const { tree } = this.#outline;
    if (row.children.length > 0 || tree.mirrors.of(row.key).size > 0) return true;
    for (const _ of tree.deletedChildren(row)) return true;
    return false;
  }

  #note(key: NodeKey): void {
    const { tree } = this.#outline;
    if (tree.rowAt(key) !== undefined && !this.#changed.has(key)) this.#changed.set(key, undefined);
  }
}

const NONE: ChangedNodes = new Map();
