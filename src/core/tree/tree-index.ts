import { ChildLists } from "./child-lists.ts";
import { CONFLICT_RULES, type ConflictRules } from "./conflict-rules.ts";
import type { WalkedRow, RowWalk } from "./document-order.ts";
import { FallenRows } from "./fallen-rows.ts";
import { MirrorRows } from "./mirror-rows.ts";
import { isReservedKey, type NodeKey, ROOT } from "../node-key.ts";
import type { NodeRegisters, TreeSource } from "./node-registers.ts";
import { orderIn, parentIn, parsePlacement, type Placement } from "./placement.ts";
import type { PlacesBefore } from "./places-before.ts";
import { RescuedRows } from "./rescued-rows.ts";
import { type Batch, type Change, isNode, NOTHING } from "./tree-change.ts";
import { TreeRow } from "./tree-row.ts";
import { UNPLACED } from "./unplaced.ts";

/** Rows between two yields of a build: a few milliseconds of work. */
const SLICE = 4_000;
/** From this many changed rows on, arrays of children are put in order once, at the end. */
const BULK = 64;

/**
 * The tree as it is shown, derived from the nodes' registers alone and kept up as they change
 * (docs/SPEC.md, rules D and I).
 *
 * A register points to a parent. Where these pointers do not make a tree some rows are fallen (see
 * `FallenRows`) and shown where the conflict rules say; every other row is shown where its register
 * says. So every known row has one shown parent and reaches the root.
 *
 * Nothing recurses on depth. One change costs O(depth + log siblings).
 */
export class TreeIndex {
  readonly root = new TreeRow(ROOT, "", undefined);
  /** Which rows are mirrors. */
  readonly mirrors: MirrorRows;
  readonly #source: TreeSource;
  readonly #rows = new Map<NodeKey, TreeRow>();
  readonly #lists = new ChildLists();
  readonly #fallen: FallenRows;
  /** Rows that are themselves marked deleted. */
  readonly #deleted = new Set<TreeRow>();
  readonly #rescued = new RescuedRows();
  readonly #touched = new Set<TreeRow>();
  #version = 0;
  #visibleCount: { readonly version: number; readonly count: number } | undefined;

  constructor(source: TreeSource, rules: ConflictRules = CONFLICT_RULES) {
    this.#source = source;
    this.mirrors = new MirrorRows(this.#lists, (key) => this.rowAt(key), rules);
    this.#fallen = new FallenRows(this, this.#lists, rules, this.#touched);
  }

  /** Where rows were before the last changes, for who follows that. */
  get before(): PlacesBefore {
    return this.#lists.before;
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
    return this.#visibleCount.count;
  }

  /** Every known row, deleted and hidden ones too, without the root. */
  rows(): Iterable<TreeRow> {
    return this.#rows.values();
  }

  /** How many rows are known. */
  get knownCount(): number {
    return this.#rows.size;
  }

  /** A known row, or the root. */
  rowAt(key: NodeKey): TreeRow | undefined {
    return key === ROOT ? this.root : this.#rows.get(key);
  }

  /** Whether there was a node under a key that has been removed for good. */
  isGone(key: NodeKey): boolean {
    return this.#source.isGone(key);
  }

  /** A row that is shown to people, or the root. O(depth) for the first of many. */
  visibleRow(key: NodeKey): TreeRow | undefined {
    const row = this.rowAt(key);
    return row && this.#lists.isShown(row) && !this.#lists.isCovered(row) ? row : undefined;
  }

  /** Rows that are themselves marked deleted. */
  deletedRows(): ReadonlySet<TreeRow> {
    return this.#deleted;
  }

  /** The rows shown below a row in document order; see `DocumentOrder`. */
  rowsBelow(row: TreeRow): Generator<WalkedRow> {
    return this.#lists.order.below(row);
  }

  /** The same for who visits very many; see `RowWalk`. */
  walkBelow(row: TreeRow): RowWalk {
    return this.#lists.order.walk(row);
  }

  /** The rows below a row that are themselves marked deleted, or covered; in no particular order. */
  deletedChildren(row: TreeRow): Iterable<TreeRow> {
    return this.#lists.deletedOf(row);
  }

  /** Rows that are not shown where their registers say. */
  fallenRows(): ReadonlySet<TreeRow> {
    return this.#fallen.all();
  }

  /** Those of them that will not come right by themselves: the parent of another orphan may still come. */
  lastingFallen(): readonly TreeRow[] {
    return this.#fallen.lasting();
  }

  /** The rows that repair has taken out of deleted nodes, by the keys of these nodes. */
  rescuedRows(): ReadonlyMap<NodeKey, ReadonlySet<TreeRow>> {
    return this.#rescued.byHome();
  }

  /** How many rows wait for the row of a key, to be shown in it. */
  countOrphansOf(key: NodeKey): number {
    return this.#fallen.countOrphansOf(key);
  }

  /** Whether a row is the cut of a ring, rather than an orphan or no fallen row at all. */
  isCut(row: TreeRow): boolean {
    return this.#fallen.isCut(row);
  }

  /**
   * The rows that may be shown elsewhere or otherwise than when this was last called, new and
   * vanished ones among them.
   */
  takeTouched(): ReadonlySet<TreeRow> {
    const touched = new Set(this.#touched);
    this.#touched.clear();
    return touched;
  }

  /**
   * Reads everything there is into an index that is empty: yields after every few milliseconds of
   * work. The source must not change meanwhile.
   */
  *build(): Generator<void> {
    const parents: NodeKey[] = [];
    for (const [key, registers] of this.#source.all()) {
      if (!isNode(key)) continue;
      const register = this.#registerOf(key, registers);
      if (register === undefined) continue;
      this.#addRow(key, register, registers).order = orderIn(register);
      if (parents.push(parentIn(register)) % SLICE === 0) yield;
    }

    this.#lists.beginBulk();
    let done = 0;
    for (const row of this.#rows.values()) {
      const parent = this.mirrors.parentAt(parents[done] ?? ROOT);
      if (parent === undefined) this.#fallen.addOrphan(row);
      else this.#lists.attach(row, parent, row.order);
      if (++done % SLICE === 0) yield;
    }
    this.#fallen.cutRings(yield* this.#unreached());
    this.#fallen.placeReturning([]);
    yield* this.mirrors.turn(this.mirrors.end());
    yield* this.#lists.endBulk();
    yield* this.#lists.trim([this.root]);
    yield* this.#lists.trim(this.#rows.values());
    this.#touched.clear();
    this.#version++;
  }

  /**
   * Brings the index up to date with the registers and deletion marks of some keys, each given once.
   * Reading a key that did not change is cheap and changes nothing.
   */
  refresh(keys: Iterable<string>): void {
    const changes: Change[] = [];
    let size = 0;
    for (const key of keys) {
      const change = this.#changeOf(key);
      if (change !== undefined) {
        changes.push(change);
        size += this.#sizeOf(change);
      } else if (this.#fallen.all().size > 0) this.#fallen.review(key as NodeKey);
    }
    if (changes.length === 0) return;

    this.mirrors.begin();
    const isBulk = size >= BULK;
    if (isBulk) this.#lists.beginBulk();
    const batch: Batch = { rows: new Set(), lost: [], mayMakeRings: changes.length > 1 };
    for (const change of changes) this.#take(change, batch);
    for (const row of batch.lost) this.#forget(row, batch);
    this.#settle(batch);
    if (isBulk) for (const _ of this.#lists.endBulk());
    this.#turn(this.mirrors.end());
    this.#version++;
  }

  /** Shows mirrors whose origins have appeared, and no more those whose origins have vanished. */
  #turn(mirrors: readonly TreeRow[]): void {
    const isBulk = mirrors.length >= BULK;
    if (isBulk) this.#lists.beginBulk();
    for (const _ of this.mirrors.turn(mirrors));
    if (isBulk) for (const _ of this.#lists.endBulk());
    for (const row of mirrors) this.#touched.add(row);
  }

  /** How a key's register and deletion mark differ from its row; undefined when they do not. */
  #changeOf(key: string): Change | undefined {
    if (!isNode(key)) return undefined;
    const row = this.#rows.get(key);
    const registers = this.#source.read(key);
    const { deletion, origin } = registers ?? NOTHING;
    const isSame = row !== undefined && row.register === registers?.placement;
    const register = isSame ? row.register : registers && this.#registerOf(key, registers);
    const isMarked =
      row !== undefined && (row.deletion !== deletion || this.mirrors.originOf(key) !== origin);
    if (row?.register === register && !isMarked) return undefined;
    return { key, row, register, deletion, origin };
  }

  /** Where a node says that it is, in a form that can be read; undefined for what is no node yet. */
  #registerOf(key: NodeKey, { placement, isWritten }: NodeRegisters): string | undefined {
    if (placement !== undefined && this.#parse(placement) !== undefined) return placement;
    // A reserved node gets its place when it is needed; seeds bring the texts of many.
    return isWritten && !isReservedKey(key) ? UNPLACED : undefined;
  }

  /** How many rows may have to be placed for a change. */
  #sizeOf({ key, row, register, origin }: Change): number {
    if (row === undefined) return 1 + this.#fallen.countOrphansOf(key);
    const isParent = register !== undefined && this.mirrors.originOf(key) === origin;
    return isParent ? 1 : 1 + row.children.length + this.#fallen.countOrphansOf(key);
  }

  /** Takes in one change of the source; what it leaves without a place is put into the batch. */
  #take({ key, row, register, deletion, origin }: Change, batch: Batch): void {
    if (row === undefined) {
      if (register === undefined) return;
      const born = this.#addRow(key, register, { deletion, origin });
      batch.rows.add(born);
      this.before.note(born, undefined, false);
      this.#touched.add(born);
      const orphans = this.#fallen.arrived(key);
      for (const orphan of orphans) this.#unsettle(orphan, batch);
      // A single new row that nobody points to, itself included, is in no ring: the usual case.
      if (orphans.length > 0 || parentIn(register) === key) batch.mayMakeRings = true;
      return;
    }
    if (register === undefined) {
      batch.lost.push(row);
      return;
    }
    if (row.register !== register) {
      this.#unsettle(row, batch);
      this.#rescued.delete(row);
      row.register = register;
      this.#rescued.add(row);
      batch.mayMakeRings = true;
    }
    if (row.deletion !== deletion) this.#setDeletion(row, deletion);
    if (this.mirrors.originOf(key) !== origin) this.#setOrigin(row, origin, batch);
  }

  /** What is below a mirror is shown elsewhere. */
  #setOrigin(row: TreeRow, origin: NodeKey | undefined, batch: Batch): void {
    const waiting = this.#fallen.arrived(row.key);
    this.#leave(row, batch);
    for (const orphan of waiting) this.#unsettle(orphan, batch);
    this.mirrors.set(row, origin);
    this.#touched.add(row);
    batch.mayMakeRings = true;
  }

  #setDeletion(row: TreeRow, deletion: string | undefined): void {
    const { parent } = row;
    this.#lists.detach(row);
    row.deletion = deletion;
    if (deletion === undefined) this.#deleted.delete(row);
    else this.#deleted.add(row);
    if (parent !== undefined) this.#lists.attach(row, parent, row.order);
    this.#touched.add(row);
  }

  /** Takes a row out of the tree, and a ring it is in apart, so that it is placed anew. */
  #unsettle(row: TreeRow, batch: Batch): void {
    if (batch.rows.has(row)) return;
    for (const each of this.#fallen.release(row)) {
      this.#lists.detach(each);
      batch.rows.add(each);
      this.#touched.add(each);
    }
  }

  /** Removes a row that has no place any more; what was shown below it is placed anew. */
  #forget(row: TreeRow, batch: Batch): void {
    this.#unsettle(row, batch);
    batch.rows.delete(row);
    batch.mayMakeRings = true;
    this.#rows.delete(row.key);
    this.#rescued.delete(row);
    this.#deleted.delete(row);
    if (this.mirrors.originOf(row.key) !== undefined) {
      for (const orphan of this.#fallen.arrived(row.key)) this.#unsettle(orphan, batch);
    }
    this.mirrors.forget(row);
    this.mirrors.cameOrWent(row);
    this.#leave(row, batch);
  }

  /** Takes everything from where it is shown below a row, to be placed anew. */
  #leave(row: TreeRow, batch: Batch): void {
    for (const child of [...row.children, ...this.#lists.deletedOf(row)]) {
      if (child.parent !== row) continue;
      // A fallen child is not here because its register says so: it falls somewhere else.
      if (this.#fallen.has(child)) this.#fallen.displace(child);
      else this.#unsettle(child, batch);
    }
  }

  /** Places the rows of a batch, and the fallen rows anew. */
  #settle(batch: Batch): void {
    const linked: TreeRow[] = [];
    for (const row of batch.rows) {
      if (this.#fallen.pointedParent(row) === undefined) this.#fallen.addOrphan(row);
      else linked.push(row);
    }
    if (batch.mayMakeRings) this.#fallen.cutRings(linked);
    for (const row of linked) {
      const parent = this.#fallen.pointedParent(row);
      if (parent === undefined || this.#fallen.has(row)) continue;
      this.#lists.attach(row, parent, orderIn(row.register));
    }
    this.#fallen.placeReturning(batch.mayMakeRings ? linked : []);
  }

  /** After all rows have been put below the row they point to: those in a ring, or below one. */
  *#unreached(): Generator<void, readonly TreeRow[]> {
    let left = this.#rows.size;
    yield* this.#reach(() => left--);
    if (left === 0) return [];
    const reached = new Set<TreeRow>();
    yield* this.#reach((row) => reached.add(row));
    return [...this.#rows.values()].filter((row) => !reached.has(row));
  }

  /** Visits every row that can be reached from the root or from a row that is not placed yet. */
  *#reach(visit: (row: TreeRow) => void): Generator<void> {
    const pending = [this.root];
    const add = (row: TreeRow): void => {
      visit(row);
      pending.push(row);
    };
    this.#fallen.unplaced().forEach(add);
    let steps = 0;
    for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
      for (const child of row.children) add(child);
      for (const child of this.#lists.deletedOf(row)) add(child);
      if (++steps % SLICE === 0) yield;
    }
  }

  #addRow(
    key: NodeKey,
    register: string,
    { deletion, origin }: Pick<NodeRegisters, "deletion" | "origin">,
  ): TreeRow {
    const row = new TreeRow(key, register, deletion);
    this.#rows.set(key, row);
    this.#rescued.add(row);
    if (deletion !== undefined) this.#deleted.add(row);
    if (origin !== undefined) this.mirrors.set(row, origin);
    this.mirrors.cameOrWent(row);
    return row;
  }

  #parse(register: string): Placement | undefined {
    const placement = parsePlacement(register);
    if (placement?.move !== undefined) this.#source.sawMove(placement.move.at);
    if (placement?.restates !== undefined) this.#source.sawMove(placement.restates.movedAt);
    return placement;
  }
}
