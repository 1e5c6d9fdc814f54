import type { ChildLists } from "./child-lists.ts";
import {
  fallbackPlaces,
  previousPlace,
  recoveredPlace,
  type ConflictRules,
} from "./conflict-rules.ts";
import type { NodeKey } from "./node-key.ts";
import { parentIn } from "./placement.ts";
import type { TreeRow } from "./tree-row.ts";

/** Where to look up the row of a key. */
export interface RowLookup {
  readonly root: TreeRow;
  rowAt(key: NodeKey): TreeRow | undefined;
}

/**
 * The rows that can't be shown where their registers say: orphans, whose parent is unknown, and cuts,
 * one of each ring of parent pointers. Few or none in an outline that is well; every other row is
 * shown below the row it points to.
 */
export class FallenRows {
  readonly #lookup: RowLookup;
  readonly #lists: ChildLists;
  readonly #rules: ConflictRules;
  readonly #touched: Set<TreeRow>;
  readonly #fallen = new Set<TreeRow>();
  /** The fallen rows that have been moved: they may be shown where they were before. */
  readonly #returning = new Set<TreeRow>();
  /** Orphans by the key of the parent that they wait for. */
  readonly #orphans = new Map<NodeKey, Set<TreeRow>>();
  /** The members of each ring by its cut, and the cut of each member. */
  readonly #rings = new Map<TreeRow, readonly TreeRow[]>();
  readonly #cutByMember = new Map<TreeRow, TreeRow>();

  /** @param touched gets every row that this takes from or puts to a place */
  constructor(lookup: RowLookup, lists: ChildLists, rules: ConflictRules, touched: Set<TreeRow>) {
    this.#lookup = lookup;
    this.#lists = lists;
    this.#rules = rules;
    this.#touched = touched;
  }

  all(): ReadonlySet<TreeRow> {
    return this.#fallen;
  }

  has(row: TreeRow): boolean {
    return this.#fallen.has(row);
  }

  isCut(row: TreeRow): boolean {
    return this.#rings.has(row);
  }

  /** The orphans that wait for a key. */
  orphansOf(key: NodeKey): readonly TreeRow[] {
    const orphans = this.#orphans.get(key);
    return orphans === undefined ? [] : [...orphans];
  }

  /** Fallen rows that are placed by `placeReturning` and nowhere until then. */
  unplaced(): readonly TreeRow[] {
    return [...this.#returning].filter((row) => row.parent === undefined);
  }

  /** The row that a register points to, whether or not it is shown there. */
  pointedParent(row: TreeRow): TreeRow | undefined {
    if (row.parent !== undefined && !this.#fallen.has(row)) return row.parent;
    return this.#lookup.rowAt(parentIn(row.register));
  }

  addOrphan(row: TreeRow): void {
    const key = parentIn(row.register);
    const orphans = this.#orphans.get(key);
    if (orphans === undefined) this.#orphans.set(key, new Set([row]));
    else orphans.add(row);
    this.#fall(row);
  }

  /**
   * Finds every ring of parent pointers that has one of the rows in it, and cuts it. Each walk stops
   * where an earlier one has been, so all of them together visit a row once. Every other ring must
   * be cut already.
   */
  cutRings(rows: readonly TreeRow[]): void {
    const [only, ...others] = rows;
    if (only === undefined) return;
    if (others.length === 0) {
      // As it is for nearly every move: there is nothing to remember on the way up.
      if (this.#isInNewRing(only)) this.#cutRing(only);
      return;
    }
    const startByRow = new Map<TreeRow, TreeRow>();
    for (const start of rows) {
      let row: TreeRow | undefined = start;
      while (row !== undefined && row !== this.#lookup.root && !this.#cutByMember.has(row)) {
        const earlier = startByRow.get(row);
        if (earlier === start) this.#cutRing(row);
        if (earlier !== undefined) break;
        startByRow.set(row, start);
        row = this.pointedParent(row);
      }
    }
  }

  /**
   * Forgets that a row is fallen or in a ring, because its register or the row itself is about to
   * change. Answers the rows, itself among them, that have to be placed anew.
   */
  release(row: TreeRow): Iterable<TreeRow> {
    const cut = this.#cutByMember.get(row);
    if (cut !== undefined) {
      const ring = this.#rings.get(cut) ?? [];
      this.#rings.delete(cut);
      for (const member of ring) this.#cutByMember.delete(member);
      this.#unfall(cut);
      return new Set([row, ...this.#rules.released(ring, cut)]);
    }
    if (this.#fallen.has(row)) {
      const key = parentIn(row.register);
      const orphans = this.#orphans.get(key);
      orphans?.delete(row);
      if (orphans?.size === 0) this.#orphans.delete(key);
      this.#unfall(row);
    }
    return [row];
  }

  /** Places the fallen rows that have a previous place. Every row that is not fallen must be placed. */
  placeReturning(): void {
    if (this.#returning.size === 0) return;
    const tree = {
      root: this.#lookup.root,
      rowAt: (key: NodeKey) => this.#lookup.rowAt(key),
      isFallen: (row: TreeRow) => this.#fallen.has(row),
    };
    for (const { row, parent, order } of fallbackPlaces(this.#returning, tree, this.#rules)) {
      if (row.parent === parent && row.order === order) continue;
      this.#lists.detach(row);
      this.#lists.attach(row, parent, order);
      this.#touched.add(row);
    }
  }

  #isInNewRing(start: TreeRow): boolean {
    if (this.#cutByMember.has(start)) return false;
    for (let row = this.pointedParent(start); row !== start; row = this.pointedParent(row)) {
      if (row === undefined || row === this.#lookup.root || this.#cutByMember.has(row))
        return false;
    }
    return true;
  }

  #cutRing(member: TreeRow): void {
    const ring: TreeRow[] = [];
    let row: TreeRow | undefined = member;
    do {
      ring.push(row);
      row = this.pointedParent(row);
    } while (row !== undefined && row !== member);
    const cut = this.#rules.cutOf(ring);
    this.#rings.set(cut, ring);
    for (const each of ring) this.#cutByMember.set(each, cut);
    this.#fall(cut);
  }

  #fall(row: TreeRow): void {
    this.#lists.detach(row);
    this.#fallen.add(row);
    this.#touched.add(row);
    if (previousPlace(row) !== undefined) {
      this.#returning.add(row);
      return;
    }
    const { parent, order } = recoveredPlace(row, this.#lookup.root);
    this.#lists.attach(row, parent, order);
  }

  #unfall(row: TreeRow): void {
    this.#returning.delete(row);
    this.#fallen.delete(row);
  }
}
