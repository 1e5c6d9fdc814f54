import type { TreeRow } from "../../../../src/core/tree/tree-row.ts";
import type { RowId } from "./row-id.ts";
import { rowsBelow, type RowView } from "./row-view.ts";
import { VisibleRow } from "./visible-row.ts";

/** What a search shows, and what the person opened or closed in it. */
export class RowSearch {
  /** What was found, and whatever else is to stay in sight. */
  #matches: readonly TreeRow[];
  /** Whether the matches are still where they were found: siblings in the order of the outline. */
  #isAsFound = true;
  /** Opened in the search: everything below is shown as without a search. */
  readonly #opened = new Set<RowId>();
  readonly #closed = new Set<RowId>();

  /** @param matches in document order */
  constructor(matches: readonly TreeRow[]) {
    this.#matches = matches;
  }

  /** Whether this is what the search shows: as a word gets longer, it often finds the same. */
  finds(matches: readonly TreeRow[]): boolean {
    return (
      this.#isAsFound &&
      matches.length === this.#matches.length &&
      matches.every((node, index) => node === this.#matches[index])
    );
  }

  /** To be called after each change of the tree. @param nodes stay in sight, whatever they say */
  keep(nodes: readonly TreeRow[]): void {
    this.#matches = [...new Set([...this.#matches, ...nodes])];
    this.#isAsFound = false;
  }

  fold(ids: Iterable<RowId>, isCollapsed: boolean): void {
    for (const id of ids) {
      (isCollapsed ? this.#closed : this.#opened).add(id);
      (isCollapsed ? this.#opened : this.#closed).delete(id);
    }
  }

  /** Shows again what is found below a node. False when it was shown. */
  unfold(id: RowId): boolean {
    return this.#closed.delete(id);
  }

  /** The rows below a node: the matches, with what they are below as context; nothing below mirrors. */
  rowsBelow(top: TreeRow, all: RowView): VisibleRow[] {
    const view: RowView = { ...all, heldBy: (node) => node };
    const found = this.#matchesByParent(top);
    const opened: RowView = { ...view, isCollapsed: this.#foldsIn(found, view) };
    const rows: VisibleRow[] = [];
    const path = [new Level(top, found.get(top))];
    for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
      const node = level.next();
      if (node === undefined) {
        path.pop();
        continue;
      }
      const isMatch = level.takeMatch(node);
      const below = node.children.length === 0 ? undefined : found.get(node);
      if ((!isMatch && below === undefined) || !view.isShown(node)) continue;
      const depth = path.length - 1;
      const hasChildren = node.children.some((child) => view.isShown(child));
      const isOpened = this.#opened.has(node.key);
      const leadsOn = below !== undefined && !this.#closed.has(node.key);
      const isExpanded = hasChildren && (isOpened || leadsOn);
      rows.push(new VisibleRow(node, depth, hasChildren, isExpanded, !isMatch));
      if (!isExpanded) continue;
      if (isOpened) for (const row of rowsBelow(node, depth + 1, opened)) rows.push(row);
      else path.push(new Level(node, below));
    }
    return rows;
  }

  /** What is closed below what was opened: as without the search, but it hides nothing that was found. */
  #foldsIn(found: ReadonlyMap<TreeRow, unknown>, view: RowView): RowView["isCollapsed"] {
    if (this.#opened.size === 0) return (id) => view.isCollapsed(id);
    const open = new Set<RowId>(this.#opened);
    for (const { key } of found.keys()) open.add(key);
    return (id) => this.#closed.has(id) || (!open.has(id) && view.isCollapsed(id));
  }

  /** The visible matches by what they are right below; empty for what only leads to some. */
  #matchesByParent(top: TreeRow): ReadonlyMap<TreeRow, readonly TreeRow[]> {
    const found = new Map<TreeRow, TreeRow[]>();
    let parent: TreeRow | undefined;
    let siblings: TreeRow[] | undefined;
    for (const match of this.#matches) {
      // Most have the parent of the match before.
      if (match.parent !== parent) {
        parent = match.parent;
        if (parent !== undefined) leadTo(parent, top, found);
        siblings = parent && found.get(parent);
      }
      if (match.deletion === undefined) siblings?.push(match);
    }
    if (!this.#isAsFound) {
      for (const [above, below] of found) {
        const among = new Set(below);
        found.set(
          above,
          above.children.filter((child) => among.has(child)),
        );
      }
    }
    return found;
  }
}

/** Makes room for matches below a node and for what leads there, if all of that is in sight. */
function leadTo(node: TreeRow, top: TreeRow, found: Map<TreeRow, TreeRow[]>): void {
  const way: TreeRow[] = [];
  let up = node;
  while (!found.has(up)) {
    if (up.deletion !== undefined) return;
    way.push(up);
    if (up === top) break;
    if (up.parent === undefined) return;
    up = up.parent;
  }
  for (const each of way) found.set(each, []);
}

/** The children of a node, and those of them that match, in the same order. */
class Level {
  readonly #children: readonly TreeRow[];
  readonly #matches: readonly TreeRow[];
  #next = 0;
  #nextMatch = 0;

  constructor({ children }: TreeRow, matches: readonly TreeRow[] | undefined) {
    this.#children = matches === undefined ? [] : children;
    this.#matches = matches ?? [];
  }

  next(): TreeRow | undefined {
    return this.#children[this.#next++];
  }

  /** Whether the child that came last matches. */
  takeMatch(node: TreeRow): boolean {
    if (this.#matches[this.#nextMatch] !== node) return false;
    this.#nextMatch++;
    return true;
  }
}
