import { addTo, removeFrom } from "../sets-by-key.ts";
import type { ChildLists } from "./child-lists.ts";
import type { ConflictRules } from "./conflict-rules.ts";
import type { NodeKey } from "../node-key.ts";
import { isShown, type TreeRow } from "./tree-row.ts";

/**
 * Mirrors that operations make in one outline; others' updates may bring twice as many [Q90]. So many
 * may appear and vanish at once, with a single deletion.
 */
export const MAX_MIRRORS = 2_000;

/** Mirrors between two yields of a build. */
const SLICE = 1_000;

/**
 * The rows that are mirrors, and which of them are covered: not shown, because what they are mirrors
 * of is not. Nothing is shown below a mirror, so whether one is covered depends on no other.
 *
 * While the index changes it says which rows were shown before; then only mirrors of what has appeared
 * or vanished are looked at. O(1) for each change in an outline without mirrors.
 */
export class MirrorRows {
  readonly #lists: ChildLists;
  readonly #rowAt: (key: NodeKey) => TreeRow | undefined;
  readonly #rules: ConflictRules;
  /** By the key of a mirror that of its origin [Q90]. */
  readonly #origins = new Map<NodeKey, NodeKey>();
  /** By the key of an origin, which may be unknown, its mirrors [Q90]. */
  readonly #mirrors = new Map<NodeKey, Set<TreeRow>>();
  /** The keys of what has a mirror less since they were asked for [Q90]. */
  #left = new Set<NodeKey>();
  /** Rows of which it has to be found out whether they are covered [Q90]. */
  readonly #open = new Set<TreeRow>();

  constructor(
    lists: ChildLists,
    rowAt: (key: NodeKey) => TreeRow | undefined,
    rules: ConflictRules,
  ) {
    this.#lists = lists;
    this.#rowAt = rowAt;
    this.#rules = rules;
  }

  get size(): number {
    return this.#origins.size;
  }

  /** The key of what a known node is a mirror of, whether or not that is there; undefined for no mirror. */
  originOf(key: NodeKey): NodeKey | undefined {
    return this.#origins.get(key);
  }

  /** The row of a key, or the root, when something can be shown below it: nothing is below a mirror. */
  parentAt(key: NodeKey): TreeRow | undefined {
    return this.#origins.has(key) && !this.#rules.mirrorsHold ? undefined : this.#rowAt(key);
  }

  /** The mirrors of a node, covered ones too. */
  of(key: NodeKey): ReadonlySet<TreeRow> {
    return this.#mirrors.get(key) ?? NOBODY;
  }

  /** The keys of what has a mirror less than when this was last called. */
  takeLeft(): Iterable<NodeKey> {
    if (this.#left.size === 0) return NO_KEYS;
    const left = this.#left;
    this.#left = new Set();
    return left;
  }

  /** Whether a row is kept apart because what it is a mirror of is not shown. */
  isCovered(row: TreeRow): boolean {
    return this.#lists.isCovered(row);
  }

  /** The keys of which there are mirrors, unknown ones too. */
  origins(): Iterable<NodeKey> {
    return this.#mirrors.keys();
  }

  /** Takes in that a row is a mirror, of something else, or none any more. */
  set(row: TreeRow, origin: NodeKey | undefined): void {
    const before = this.#origins.get(row.key);
    if (before === origin) return;
    if (before !== undefined) {
      removeFrom(this.#mirrors, before, row);
      this.#left.add(before);
    }
    if (origin === undefined) {
      this.#origins.delete(row.key);
    } else {
      this.#origins.set(row.key, origin);
      addTo(this.#mirrors, origin, row);
    }
    this.#open.add(row);
    // What is a mirror is no origin: mirrors of it are covered.
    this.#reopen(row.key);
  }

  /** Takes in that a row has come, or is known no more. */
  cameOrWent(row: TreeRow): void {
    if (this.size > 0) this.#reopen(row.key);
  }

  forget(row: TreeRow): void {
    this.set(row, undefined);
    this.#open.delete(row);
    this.#lists.setCovered(row, false);
  }

  /** To be called before an index that has been built changes. */
  begin(): void {
    if (this.size > 0) this.#lists.watch();
  }

  /**
   * The mirrors that are covered and should not be, or the other way round, now that every row is
   * placed.
   */
  end(): readonly TreeRow[] {
    for (const row of this.#lists.endWatch()) {
      if (row.children.length === 0 && this.#lists.deletedCount(row) === 0) this.#reopen(row.key);
      else {
        // What is below it may be anybody's origin.
        for (const key of this.#mirrors.keys()) this.#reopen(key);
        break;
      }
    }
    if (this.#open.size === 0) return NONE;
    const known = new Map<TreeRow, boolean>();
    const wrong = [...this.#open].filter(
      (row) => this.#isToBeCovered(row, known) !== this.#lists.isCovered(row),
    );
    this.#open.clear();
    return wrong;
  }

  /** Covers what is not covered, and the other way round. */
  *turn(rows: readonly TreeRow[]): Generator<void> {
    let turned = 0;
    for (const row of rows) {
      this.#lists.setCovered(row, !this.#lists.isCovered(row));
      if (++turned % SLICE === 0) yield;
    }
  }

  #reopen(key: NodeKey): void {
    for (const mirror of this.#mirrors.get(key) ?? NOBODY) this.#open.add(mirror);
  }

  #isToBeCovered(mirror: TreeRow, known: Map<TreeRow, boolean>): boolean {
    const key = this.#origins.get(mirror.key);
    if (key === undefined) return false;
    const origin = this.#origins.has(key) ? undefined : this.#rowAt(key);
    return this.#rules.isCovered(origin !== undefined && isShown(origin, known));
  }
}

const NOBODY: ReadonlySet<TreeRow> = new Set();
const NONE: readonly TreeRow[] = [];
const NO_KEYS: readonly NodeKey[] = [];
