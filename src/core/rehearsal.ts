import { ROOT, systemNodeOf, systemParentOf, type NodeKey } from "./node-key.ts";
import type { Outline } from "./outline.ts";
import { INVALID_PARENT, NOT_FOUND, OK, type Done, type Refusal } from "./refusal.ts";
import { systemChain } from "./calendar/system-nodes.ts";

/** Of the nodes on the way up one in so many is remembered. */
const REMEMBERED = 64;

/**
 * Finds out whether several operations can be done one after the other, before the first one is: it
 * knows which nodes would be there and where, and changes nothing. The outline must not change
 * meanwhile, and after a refusal the rehearsal is of no more use.
 */
export class Rehearsal {
  readonly #outline: Outline;
  /** Where the operations so far would have put nodes: one for each at most. [Q13] */
  readonly #movedTo = new Map<NodeKey, NodeKey>();
  /** What they would have been put into. [Q13] */
  readonly #holders = new Set<NodeKey>();
  /** One for each operation, and what is in a reserved node that comes back empty. [Q13] */
  readonly #removed = new Set<NodeKey>();
  /** Nodes that would be visible, of those on the ways up from others: one in 64 of them. [Q13] */
  readonly #there = new Set<NodeKey>();
  /** Reserved nodes that are not there and would be made. [Q13] */
  readonly #made = new Set<NodeKey>();
  /** Other nodes that would be made. [Q13] */
  readonly #created = new Set<NodeKey>();
  /** Those of them that would be mirrors, and of what. [Q13] */
  readonly #mirrors = new Map<NodeKey, NodeKey>();

  constructor(outline: Outline) {
    this.#outline = outline;
  }

  /** The reserved nodes that would have to be made as destinations. */
  get made(): ReadonlySet<NodeKey> {
    return this.#made;
  }

  /** Whether a node would be visible, or the top level. O(1) before anything is removed. */
  has(key: NodeKey): boolean {
    if (!this.#isKnown(key)) return false;
    if (this.#removed.size === 0) return true;
    const held = this.heldBy(key);
    return this.#isThere(key) && (held === key || (this.#isKnown(held) && this.#isThere(held)));
  }

  /** The node whose texts and children a node would show: of a mirror its origin, else itself. */
  heldBy(key: NodeKey): NodeKey {
    return this.#mirrors.get(key) ?? this.#outline.heldBy(key);
  }

  /** What a node would be in, visible or not. */
  parentOf(key: NodeKey): NodeKey | undefined {
    return this.#movedTo.get(key) ?? this.#outline.tree.rowAt(key)?.parent?.key;
  }

  /** A node would be made under a key that is free. @param parent which is there */
  create(key: NodeKey, parent: NodeKey): void {
    this.#created.add(key);
    this.#put(key, parent);
  }

  /**
   * A mirror of a node would be made under a key that is free, or of what that is itself a mirror of.
   * `not_found`, or `invalid_parent` for one in that node itself.
   */
  mirror(key: NodeKey, of: NodeKey, parent: NodeKey): Done | Refusal {
    if (of === ROOT || !this.has(of)) return NOT_FOUND;
    const reached = this.reach(parent);
    if (reached.kind !== "ok") return reached;
    const origin = this.heldBy(of);
    if (this.#isWithin(parent, origin)) return INVALID_PARENT;
    this.create(key, parent);
    this.#mirrors.set(key, origin);
    return OK;
  }

  /** A node would get children. `not_found`: it is not there, and is no reserved node that can be made. */
  reach(parent: NodeKey): Done | Refusal {
    if (this.has(parent)) return OK;
    const missing: NodeKey[] = [];
    for (const key of systemChain(parent).toReversed()) {
      if (this.has(key)) break;
      missing.unshift(key);
      const above = this.parentOf(key);
      if (above !== undefined && this.has(above)) break;
    }
    for (const key of missing) this.#make(key);
    return missing.length === 0 ? NOT_FOUND : OK;
  }

  /** `not_found`, or `invalid_parent` for a move below the node itself. */
  move(key: NodeKey, parent: NodeKey): Done | Refusal {
    if (key === ROOT || !this.has(key)) return NOT_FOUND;
    const reached = this.reach(parent);
    if (reached.kind !== "ok") return reached;
    if (this.#isWithin(parent, key)) return INVALID_PARENT;
    this.#put(key, parent);
    return OK;
  }

  remove(key: NodeKey): Done | Refusal {
    if (key === ROOT || !this.has(key)) return NOT_FOUND;
    this.#removed.add(key);
    if (this.#holdsAny(key)) this.#there.clear();
    return OK;
  }

  #put(key: NodeKey, parent: NodeKey): void {
    this.#movedTo.set(key, parent);
    this.#holders.add(parent);
  }

  /** Whether something is in a node, or was or would have been put there. */
  #holdsAny(key: NodeKey): boolean {
    return this.#holders.has(key) || (this.#outline.tree.rowAt(key)?.children.length ?? 0) > 0;
  }

  /** Whether a node that would be visible would be `ancestor` or below it. O(depth), where that holds anything. */
  #isWithin(key: NodeKey, ancestor: NodeKey): boolean {
    if (!this.#holdsAny(ancestor)) return key === ancestor;
    for (let at: NodeKey | undefined = key; at !== undefined; at = this.parentOf(at)) {
      if (at === ancestor) return true;
    }
    return false;
  }

  /** Whether a known node is in none that would be removed, and none itself. O(depth) for the first of many. */
  #isThere(key: NodeKey): boolean {
    const path: NodeKey[] = [];
    // What a known node is in is known as well: it was looked at when the node was put there.
    let at: NodeKey | undefined = key;
    for (let steps = 1; at !== ROOT && !(at !== undefined && this.#there.has(at)); steps++) {
      if (at === undefined || this.#removed.has(at)) return false;
      if (steps % REMEMBERED === 0) path.push(at);
      at = this.parentOf(at);
    }
    for (const each of path) this.#there.add(each);
    return true;
  }

  /** Whether a node is visible now, or would be made. */
  #isKnown(key: NodeKey): boolean {
    return key === ROOT || this.#made.has(key) || this.#created.has(key) || this.#outline.has(key);
  }

  /** A reserved node comes (back) empty: to where it is, or where that is gone, to its own place. */
  #make(key: NodeKey): void {
    const above = this.parentOf(key);
    const node = systemNodeOf(key);
    if (node !== undefined && (above === undefined || !this.has(above))) {
      this.#put(key, systemParentOf(node));
    }
    const stored = this.#outline.tree.rowAt(key)?.children ?? [];
    for (const child of [...stored.map((row) => row.key), ...this.#movedTo.keys()]) {
      if (this.parentOf(child) === key) this.#removed.add(child);
    }
    this.#removed.delete(key);
    this.#made.add(key);
  }
}
