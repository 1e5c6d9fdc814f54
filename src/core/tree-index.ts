import { ChildLists } from "./child-lists.ts";
import {
  CONFLICT_RULES,
  fallbackPlaces,
  previousPlace,
  recoveredPlace,
  type ConflictRules,
} from "./conflict-rules.ts";
import { isNodeKey, isReservedKey, ROOT, systemNodeOf, type NodeKey } from "./node-key.ts";
import { orderIn, parentIn, parsePlacement } from "./placement.ts";
import { isVisible, TreeRow } from "./tree-row.ts";

/** What the index is derived from. */
export interface TreeSource {
  /** Every key that may be a node's. */
  keys(): Iterable<string>;
  /** The placement register of a node; undefined for what has no place in the tree. */
  register(key: NodeKey): string | undefined;
  /** The deletion mark of a node; undefined while it is not marked deleted. */
  deletion(key: NodeKey): string | undefined;
  /** Called with the time of each move that is read, for the logical clock. */
  sawMove(at: number): void;
}

/** Rows between two yields of a sliced build: a few milliseconds of work. */
const SLICE = 4_000;
/** From this many changed rows on, arrays of children are put in order once, at the end. */
const BULK = 64;

/**
 * The tree as it is shown, derived from the nodes' registers alone and kept up as they change
 * (docs/SPEC.md, rules D and I).
 *
 * A node's register points to its parent. Where these pointers do not make a tree, some rows are
 * *fallen*: a row whose parent is unknown (an orphan), and one row of each ring (its cut). Every
 * other row is shown where its register says; the fallen ones where the conflict rules say. So every
 * known row has one shown parent and reaches the root.
 *
 * Nothing recurses on depth. One change costs O(depth + log siblings).
 */
export class TreeIndex {
  readonly root = new TreeRow(ROOT, "", undefined);
  readonly #source: TreeSource;
  readonly #rules: ConflictRules;
  readonly #rows = new Map<NodeKey, TreeRow>();
  readonly #lists = new ChildLists();
  /** Rows that are themselves marked deleted. */
  readonly #deleted = new Set<TreeRow>();
  /** The members of each ring by its cut, and the cut of each member. */
  readonly #rings = new Map<TreeRow, readonly TreeRow[]>();
  readonly #cutByMember = new Map<TreeRow, TreeRow>();
  /** Orphans by the key of the parent that they wait for. */
  readonly #orphans = new Map<NodeKey, Set<TreeRow>>();
  readonly #fallen = new Set<TreeRow>();
  /** The fallen rows that have been moved: they may be shown where they were before. */
  readonly #returning = new Set<TreeRow>();
  #touched = new Set<TreeRow>();
  #version = 0;
  #visibleCount: { readonly version: number; readonly count: number } | undefined;

  constructor(source: TreeSource, rules: ConflictRules = CONFLICT_RULES) {
    this.#source = source;
    this.#rules = rules;
  }

  /** Grows with every change of the tree that is shown. */
  get version(): number {
    return this.#version;
  }

  /** How many nodes are visible. O(1) while the tree stays as it is, else O(their number). */
  get visibleCount(): number {
    if (this.#visibleCount?.version !== this.#version) {
      let count = 0;
      const pending = [this.root];
      for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
        count += row.children.length;
        for (const child of row.children) if (child.children.length > 0) pending.push(child);
      }
      this.#visibleCount = { version: this.#version, count };
    }
    return this.#visibleCount?.count ?? 0;
  }

  /** Every known row, deleted and hidden ones too. */
  rows(): Iterable<TreeRow> {
    return this.#rows.values();
  }

  /** How many rows are known. */
  get knownCount(): number {
    return this.#rows.size;
  }

  /** A known row, the root included. */
  rowAt(key: NodeKey): TreeRow | undefined {
    return key === ROOT ? this.root : this.#rows.get(key);
  }

  /** A row that is shown to people, the root included. O(depth). */
  visibleRow(key: NodeKey): TreeRow | undefined {
    const row = this.rowAt(key);
    return row !== undefined && isVisible(row) ? row : undefined;
  }

  /** Rows that are themselves marked deleted. */
  deletedRows(): ReadonlySet<TreeRow> {
    return this.#deleted;
  }

  /** The rows shown below a row that are themselves marked deleted, in no particular order. */
  deletedChildren(row: TreeRow): Iterable<TreeRow> {
    return this.#lists.deletedOf(row);
  }

  /** Rows that are not shown where their registers say. */
  fallenRows(): ReadonlySet<TreeRow> {
    return this.#fallen;
  }

  /** Whether a row is the cut of a ring, rather than an orphan or no fallen row at all. */
  isCut(row: TreeRow): boolean {
    return this.#rings.has(row);
  }

  /** Reads everything there is, in slices: yields after every few milliseconds of work. */
  *build(): Generator<void> {
    yield* this.#apply(this.#source.keys(), true);
    this.takeTouched();
  }

  /**
   * Brings the index up to date with the registers and deletion marks of some keys. Reading a key
   * that did not change is cheap and changes nothing.
   */
  refresh(keys: Iterable<string>): void {
    const work = this.#apply(keys, false);
    while (work.next().done !== true);
  }

  /**
   * The rows that may be shown elsewhere or otherwise than when this was last called, new and
   * vanished ones among them.
   */
  takeTouched(): ReadonlySet<TreeRow> {
    const touched = this.#touched;
    this.#touched = new Set();
    return touched;
  }

  *#apply(keys: Iterable<string>, isBuild: boolean): Generator<void> {
    const changes = isBuild ? [] : this.#changes(keys);
    const batch = new Batch();
    const isBulk = isBuild || changes.length > BULK;
    if (isBulk) this.#lists.beginBulk();

    let done = 0;
    for (const change of isBuild ? this.#readAll(keys) : changes) {
      this.#take(change, batch);
      if (isBuild && ++done % SLICE === 0) yield;
    }
    for (const row of batch.lost) this.#forget(row, batch);

    const linked: TreeRow[] = [];
    for (const row of batch.rows) {
      if (this.#pointedParent(row) === undefined) this.#addOrphan(row, batch);
      else linked.push(row);
    }
    if (batch.mayMakeRings) yield* this.#findRings(linked, batch);
    for (const row of linked) {
      const parent = this.#pointedParent(row);
      if (parent === undefined || this.#fallen.has(row)) continue;
      this.#lists.attach(row, parent, orderIn(row.register));
      if (isBuild && ++done % SLICE === 0) yield;
    }
    this.#placeReturning(batch);

    if (isBulk) yield* this.#lists.endBulk();
    if (batch.touched.size > 0) this.#version++;
    for (const row of batch.touched) this.#touched.add(row);
  }

  *#readAll(keys: Iterable<string>): Generator<Change> {
    for (const key of keys) {
      const change = this.#changeOf(key);
      if (change !== undefined) yield change;
    }
  }

  #changes(keys: Iterable<string>): readonly Change[] {
    return [...this.#readAll(keys)];
  }

  /** How a key's register and deletion mark differ from its row; undefined when they do not. */
  #changeOf(key: string): Change | undefined {
    if (!isNodeKey(key) || key === ROOT) return undefined;
    if (isReservedKey(key) && systemNodeOf(key) === undefined) return undefined;
    const row = this.#rows.get(key);
    const text = this.#source.register(key);
    const deletion = text === undefined ? undefined : this.#source.deletion(key);
    if (row !== undefined && row.register === text) {
      return row.deletion === deletion ? undefined : { key, row, register: text, deletion };
    }
    const placement = text === undefined ? undefined : parsePlacement(text);
    const register = placement === undefined ? undefined : text;
    if (placement?.move !== undefined) this.#source.sawMove(placement.move.at);
    return row === undefined && register === undefined
      ? undefined
      : { key, row, register, deletion };
  }

  /** Takes in one change of the source; what it leaves without a place is put into the batch. */
  #take({ key, row, register, deletion }: Change, batch: Batch): void {
    if (row === undefined) {
      if (register === undefined) return;
      const born = new TreeRow(key, register, deletion);
      this.#rows.set(key, born);
      if (deletion !== undefined) this.#deleted.add(born);
      batch.add(born);
      const waiting = this.#orphans.get(key);
      if (waiting !== undefined)
        for (const orphan of Array.from(waiting)) this.#unsettle(orphan, batch);
      if (waiting !== undefined || batch.rows.size > 1) batch.mayMakeRings = true;
      return;
    }
    if (register === undefined) {
      batch.lost.push(row);
      return;
    }
    const parent = row.parent;
    if (row.register !== register) {
      this.#unsettle(row, batch);
      row.register = register;
      batch.mayMakeRings = true;
    } else if (parent !== undefined) {
      this.#lists.detach(row);
    }
    row.deletion = deletion;
    if (deletion === undefined) this.#deleted.delete(row);
    else this.#deleted.add(row);
    if (row.parent === undefined && parent !== undefined && !batch.rows.has(row)) {
      this.#lists.attach(row, parent, row.order);
    }
    batch.touched.add(row);
  }

  /** Takes a row out of the tree, and a ring or an orphanage apart, so that it is placed anew. */
  #unsettle(row: TreeRow, batch: Batch): void {
    if (batch.rows.has(row)) return;
    batch.add(row);
    this.#lists.detach(row);
    if (!this.#unfall(row)) {
      const cut = this.#cutByMember.get(row);
      if (cut !== undefined) this.#dissolve(cut, batch);
      return;
    }
    if (this.#rings.has(row)) {
      this.#dissolve(row, batch);
      return;
    }
    const key = parentIn(row.register);
    const waiting = this.#orphans.get(key);
    waiting?.delete(row);
    if (waiting?.size === 0) this.#orphans.delete(key);
  }

  #dissolve(cut: TreeRow, batch: Batch): void {
    const ring = this.#rings.get(cut) ?? [];
    this.#rings.delete(cut);
    for (const member of ring) this.#cutByMember.delete(member);
    this.#unfall(cut);
    for (const member of this.#rules.released(ring, cut)) this.#unsettle(member, batch);
    batch.mayMakeRings = true;
  }

  /** Removes a row that has no place any more; what was shown below it is placed anew. */
  #forget(row: TreeRow, batch: Batch): void {
    this.#unsettle(row, batch);
    batch.rows.delete(row);
    this.#rows.delete(row.key);
    this.#deleted.delete(row);
    for (const child of [...row.children, ...this.#lists.deletedOf(row)]) {
      if (child.parent !== row) continue;
      // A fallen child is not here because its register says so, and will fall somewhere else.
      if (this.#fallen.has(child)) this.#lists.detach(child);
      else this.#unsettle(child, batch);
    }
    batch.mayMakeRings = true;
  }

  #addOrphan(row: TreeRow, batch: Batch): void {
    const key = parentIn(row.register);
    const waiting = this.#orphans.get(key);
    if (waiting === undefined) this.#orphans.set(key, new Set([row]));
    else waiting.add(row);
    this.#fall(row, batch);
  }

  /** The row that a register points to, whether or not it is shown there. */
  #pointedParent(row: TreeRow): TreeRow | undefined {
    if (row.parent !== undefined && !this.#fallen.has(row)) return row.parent;
    return this.rowAt(parentIn(row.register));
  }

  /**
   * Finds every ring of parent pointers that has one of the rows in it, and cuts it. Each walk stops
   * where an earlier one has been, so all of them together visit a row once.
   */
  *#findRings(rows: readonly TreeRow[], batch: Batch): Generator<void> {
    const walkByRow = new Map<TreeRow, TreeRow>();
    let steps = 0;
    for (const start of rows) {
      let row: TreeRow | undefined = start;
      while (row !== undefined && row !== this.root && !this.#cutByMember.has(row)) {
        const walk = walkByRow.get(row);
        if (walk === start) this.#cutRing(row, batch);
        if (walk !== undefined) break;
        walkByRow.set(row, start);
        row = this.#pointedParent(row);
        if (++steps % SLICE === 0) yield;
      }
    }
  }

  #cutRing(member: TreeRow, batch: Batch): void {
    const ring: TreeRow[] = [];
    let row: TreeRow | undefined = member;
    do {
      ring.push(row);
      row = this.#pointedParent(row);
    } while (row !== undefined && row !== member);
    const cut = this.#rules.cutOf(ring);
    this.#rings.set(cut, ring);
    for (const each of ring) this.#cutByMember.set(each, cut);
    this.#fall(cut, batch);
  }

  /** Marks a row as fallen. One with a previous place is placed later, by `#placeReturning`. */
  #fall(row: TreeRow, batch: Batch): void {
    this.#lists.detach(row);
    this.#fallen.add(row);
    batch.touched.add(row);
    if (previousPlace(row) !== undefined) {
      this.#returning.add(row);
      return;
    }
    const { parent, order } = recoveredPlace(row, this.root);
    this.#lists.attach(row, parent, order);
  }

  /** Whether the row was fallen. */
  #unfall(row: TreeRow): boolean {
    this.#returning.delete(row);
    return this.#fallen.delete(row);
  }

  #placeReturning(batch: Batch): void {
    if (this.#returning.size === 0) return;
    const tree = { root: this.root, rowAt: this.rowAt.bind(this), isFallen: this.#isFallen };
    // All are decided before one is moved: deciding reads where the others are shown.
    for (const place of fallbackPlaces(this.#returning, tree, this.#rules)) {
      const { row, parent, order } = place;
      if (row.parent === parent && row.order === order) continue;
      this.#lists.detach(row);
      this.#lists.attach(row, parent, order);
      batch.touched.add(row);
    }
  }

  readonly #isFallen = (row: TreeRow): boolean => this.#fallen.has(row);
}

/** How a node's entry in the source differs from its row. No register: it has no place any more. */
interface Change {
  readonly key: NodeKey;
  readonly row: TreeRow | undefined;
  readonly register: string | undefined;
  readonly deletion: string | undefined;
}

/** The rows that one update of the index works on. */
class Batch {
  /** Rows that have to be placed. */
  readonly rows = new Set<TreeRow>();
  readonly touched = new Set<TreeRow>();
  readonly lost: TreeRow[] = [];
  /** False while all there is is one new row that nobody points to. */
  mayMakeRings = false;

  add(row: TreeRow): void {
    this.rows.add(row);
    this.touched.add(row);
  }
}
