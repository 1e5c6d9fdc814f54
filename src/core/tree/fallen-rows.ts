import { addTo, removeFrom, type SetsByKey } from "../sets-by-key.ts";
import type { ChildLists } from "./child-lists.ts";
import { previousPlace, recoveredOrder, type ConflictRules } from "./conflict-rules.ts";
import type { MirrorRows } from "./mirror-rows.ts";
import type { NodeKey } from "../node-key.ts";
import { ParentRings } from "./parent-rings.ts";
import { parentIn, type Place } from "./placement.ts";
import type { TreeRow } from "./tree-row.ts";

/** Where to look up the row of a key. */
export interface RowLookup {
  readonly root: TreeRow;
  readonly mirrors: Pick<MirrorRows, "originOf" | "parentAt">;
  /** Whether there was a node under a key that has been removed for good. */
  isGone(key: NodeKey): boolean;
}

/**
 * The rows that can't be shown where their registers say: orphans, whose parent is unknown or a
 * mirror, and cuts, one of each ring of parent pointers. Few or none in an outline that is well; every
 * other row is shown below the row it points to.
 *
 * A row that points to a mirror is shown in the mirror's origin, every other fallen one where it was
 * before its latest move. Those places may make rings again, of fallen rows and of what lies between
 * them: then one fallen row of each is shown last at the top level, as is one whose place is gone. A
 * change costs what it changes, however many rows have fallen.
 */
export class FallenRows {
  readonly #lookup: RowLookup;
  readonly #lists: ChildLists;
  readonly #rules: ConflictRules;
  readonly #touched: Set<TreeRow>;
  /** At most all rows [Q40]. */
  readonly #fallen = new Set<TreeRow>();
  /** Of the orphans, those whose parent will not come: it has been removed, or is a mirror [Q40]. */
  readonly #bereft = new Set<TreeRow>();
  /** Where the fallen rows belong: where they were before they were moved, or in an origin [Q40]. */
  readonly #returning = new Map<TreeRow, Place>();
  /** Orphans by the key of the parent that they wait for [Q40]. */
  readonly #orphans: SetsByKey<NodeKey, TreeRow> = new Map();
  /** Fallen rows by the key of what they were in, while that is unknown [Q40]. */
  readonly #homeless: SetsByKey<NodeKey, TreeRow> = new Map();
  /** Returning rows that are not where they belong [Q40]. */
  readonly #unsettled = new Set<TreeRow>();
  /** Rings of registers; their cuts have fallen. */
  readonly #rings: ParentRings;
  /** Rings of what is shown; their cuts are shown at the top level. */
  readonly #shownRings: ParentRings;

  /** @param touched gets every row that this takes from or puts to a place */
  constructor(lookup: RowLookup, lists: ChildLists, rules: ConflictRules, touched: Set<TreeRow>) {
    this.#lookup = lookup;
    this.#lists = lists;
    this.#rules = rules;
    this.#touched = touched;
    const { root } = lookup;
    const walks = { last: 0 };
    this.#rings = new ParentRings(
      (row) => (row === root ? undefined : this.pointedParent(row)),
      (members) => rules.cutOf(members),
      walks,
    );
    this.#shownRings = new ParentRings(
      (row) => (row === root ? undefined : this.#wantedParent(row)),
      (members) => rules.shownCutOf(members.filter((row) => this.#fallen.has(row))),
      walks,
    );
  }

  all(): ReadonlySet<TreeRow> {
    return this.#fallen;
  }

  /** Those that will not come right by themselves: the cuts, and orphans whose parent was removed. */
  lasting(): readonly TreeRow[] {
    const cuts = this.#rings.cuts();
    return cuts.size + this.#bereft.size === 0 ? NONE : [...cuts, ...this.#bereft];
  }

  has(row: TreeRow): boolean {
    return this.#fallen.has(row);
  }

  isCut(row: TreeRow): boolean {
    return this.#rings.isCut(row);
  }

  /** How many orphans wait for a key. */
  countOrphansOf(key: NodeKey): number {
    return (this.#orphans.get(key) ?? NOBODY).size;
  }

  /** Fallen rows that are placed by `placeReturning` and nowhere until then. */
  unplaced(): readonly TreeRow[] {
    return [...this.#unsettled].filter((row) => row.parent === undefined);
  }

  /** The row that a register points to, whether or not it is shown there. */
  pointedParent(row: TreeRow): TreeRow | undefined {
    if (row.parent !== undefined && !this.#fallen.has(row)) return row.parent;
    return this.#lookup.mirrors.parentAt(parentIn(row.register));
  }

  addOrphan(row: TreeRow): void {
    const key = parentIn(row.register);
    addTo(this.#orphans, key, row);
    if (this.#isLost(key)) this.#bereft.add(row);
    this.#fall(row);
  }

  /**
   * Takes in that a row has come under a key. Answers the orphans that waited for it, which have to be
   * placed anew.
   */
  arrived(key: NodeKey): readonly TreeRow[] {
    for (const row of this.#homeless.get(key) ?? NOBODY) this.#unsettled.add(row);
    this.#homeless.delete(key);
    return [...(this.#orphans.get(key) ?? NOBODY)];
  }

  /** Takes in that the node of a key that has no row may have been removed, or be there again. */
  review(key: NodeKey): void {
    const orphans = this.#orphans.get(key);
    if (orphans === undefined) return;
    const isLost = this.#isLost(key);
    for (const row of orphans) {
      if (isLost) this.#bereft.add(row);
      else this.#bereft.delete(row);
    }
  }

  /** Takes a fallen row from where it is shown, because that is no more. */
  displace(row: TreeRow): void {
    this.#lists.detach(row);
    this.#release(row);
    this.#unsettled.add(row);
  }

  /**
   * Finds every ring of parent pointers that has one of the rows in it, and cuts it. Every other ring
   * must be cut already.
   */
  cutRings(rows: readonly TreeRow[]): void {
    const [only] = rows;
    if (only !== undefined && rows.length === 1 && this.#holdsNothing(only)) return;
    for (const { cut } of this.#rings.findNew(rows)) this.#fall(cut);
  }

  /**
   * Forgets that a row is fallen or in a ring, because its register or the row itself is about to
   * change. Answers the rows, itself among them, that have to be placed anew.
   */
  release(row: TreeRow): Iterable<TreeRow> {
    this.#release(row);
    const ring = this.#rings.release(row);
    if (ring !== undefined) {
      this.#unfall(ring.cut);
      return new Set([row, ...this.#rules.released(ring.members, ring.cut)]);
    }
    if (this.#fallen.has(row)) {
      removeFrom(this.#orphans, parentIn(row.register), row);
      this.#unfall(row);
    }
    return [row];
  }

  /**
   * Places the fallen rows that have a previous place. Every row that is not fallen must be placed.
   * @param changed the rows that are not fallen whose parent may be another than before
   */
  placeReturning(changed: readonly TreeRow[]): void {
    if (this.#returning.size === 0) return;
    for (const { cut } of this.#shownRings.findNew([...this.#unsettled, ...changed])) {
      this.#unsettled.add(cut);
    }
    for (const row of this.#unsettled) this.#place(row);
    this.#unsettled.clear();
  }

  /** Whether no row points to a row, itself included: then it is in no ring that is not known. */
  #holdsNothing(row: TreeRow): boolean {
    const held = row.children.length + this.#lists.deletedCount(row);
    return held === 0 && this.pointedParent(row) !== row;
  }

  #place(row: TreeRow): void {
    const { root } = this.#lookup;
    const from = this.#returning.get(row);
    const home = this.#wantedParent(row);
    if (from !== undefined && home === undefined) addTo(this.#homeless, from.parent, row);
    const isHome = from !== undefined && home !== undefined && !this.#shownRings.isCut(row);
    const parent = isHome ? home : root;
    const order = isHome ? from.order : recoveredOrder(row);
    if (row.parent === parent && row.order === order) return;
    this.#lists.detach(row);
    this.#lists.attach(row, parent, order);
    this.#touched.add(row);
  }

  /** The row below which a row is shown, unless that makes a ring. */
  #wantedParent(row: TreeRow): TreeRow | undefined {
    if (!this.#fallen.has(row)) return row.parent;
    const from = this.#returning.get(row);
    return from === undefined ? undefined : this.#lookup.mirrors.parentAt(from.parent);
  }

  /** Whether nothing will ever be shown below the row of a key. */
  #isLost(key: NodeKey): boolean {
    return this.#lookup.isGone(key) || this.#lookup.mirrors.originOf(key) !== undefined;
  }

  /** What somebody put into a mirror, who does not know mirrors, belongs to its origin. */
  #throughMirror(row: TreeRow): Place | undefined {
    const origin = this.#lookup.mirrors.originOf(parentIn(row.register));
    return origin && this.#rules.placeThroughMirror(row, origin);
  }

  #fall(row: TreeRow): void {
    this.#release(row);
    this.#lists.detach(row);
    this.#fallen.add(row);
    this.#touched.add(row);
    const from = this.#throughMirror(row) ?? previousPlace(row);
    if (from === undefined) {
      this.#lists.attach(row, this.#lookup.root, recoveredOrder(row));
    } else {
      this.#returning.set(row, from);
      this.#unsettled.add(row);
    }
  }

  #unfall(row: TreeRow): void {
    this.#release(row);
    const from = this.#returning.get(row);
    if (from !== undefined) removeFrom(this.#homeless, from.parent, row);
    this.#returning.delete(row);
    this.#unsettled.delete(row);
    this.#bereft.delete(row);
    this.#fallen.delete(row);
  }

  /** Forgets the ring of what is shown that a row is in, because what it is shown below will change. */
  #release(row: TreeRow): void {
    const ring = this.#shownRings.release(row);
    if (ring !== undefined) this.#unsettled.add(ring.cut);
  }
}

const NONE: readonly TreeRow[] = [];
const NOBODY: ReadonlySet<TreeRow> = new Set();
