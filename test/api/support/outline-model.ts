import { type ModelName, literalName, sentName } from "./model-name.ts";
import { MONTHS, dayName } from "./calendar-names.ts";

/** A node of the model: children in an array, in order. */
export interface ModelNode {
  /** Known once an answer of the service has shown it. */
  id: string | undefined;
  /** `inbox`, `calendar`, `2026`, `2026-11`, `2026-11-20`: the reserved nodes. */
  readonly system: string | undefined;
  parent: ModelNode | undefined;
  readonly children: ModelNode[];
  name: string;
  note: string | null;
  layout: string;
  completedAt: number | null;
  readonly createdAt: number;
  /** Not foretold for a system node that came back: known once an answer has shown it. */
  modifiedAt: number | undefined;
}

export type ModelReference =
  | { readonly kind: "top" }
  | { readonly kind: "node"; readonly node: ModelNode }
  | { readonly kind: "system"; readonly key: string }
  | { readonly kind: "shortcut"; readonly key: string }
  | { readonly kind: "unknown" };

export type Outcome = "200" | "400 invalid_parent" | "404 not_found";

export interface ModelFields {
  readonly layoutMode?: string;
  readonly note?: string;
  readonly completed?: boolean;
  readonly position?: "top" | "bottom";
}

/** A system node that came back: it is where it was, at an index that the model can't know. */
export interface Returned {
  readonly node: ModelNode;
  readonly key: string;
  readonly parent: ModelNode;
}

const NOT_FOUND = "404 not_found";

function newNode(name: string, now: number, system?: string): ModelNode {
  return {
    id: undefined,
    system,
    parent: undefined,
    children: [],
    name,
    note: null,
    layout: "bullets",
    completedAt: null,
    createdAt: now,
    modifiedAt: now,
  };
}

/**
 * What an outline should hold after any operations: the plainest tree of arrays, without a thought
 * for speed, storage or merging. Operations answer as the service should.
 */
export class OutlineModel {
  readonly root = newNode("", 0);
  readonly #system = new Map<string, ModelNode>();
  /** Deleted system nodes, with the parents they had. */
  readonly #graves = new Map<string, { readonly node: ModelNode; readonly parent: ModelNode }>();
  #returned: Returned[] = [];
  readonly #shortcuts = new Map<string, ModelNode>();

  /** Every node in document order. */
  nodes(below: ModelNode = this.root): readonly ModelNode[] {
    return below.children.flatMap((child) => [child, ...this.nodes(child)]);
  }

  /** The node that is there, the root for the top level. */
  find(reference: ModelReference): ModelNode | undefined {
    switch (reference.kind) {
      case "top":
        return this.root;
      case "node":
        return this.#isAlive(reference.node) ? reference.node : undefined;
      case "system":
        return this.#system.get(reference.key);
      case "shortcut": {
        const node = this.#shortcuts.get(reference.key);
        return node ?? (reference.key === "home" ? this.root : undefined);
      }
      case "unknown":
        return undefined;
      default:
        return reference satisfies never;
    }
  }

  /** Like `find`, for what is about to be read or changed: the top level is no node. */
  findNode(reference: ModelReference): ModelNode | undefined {
    const node = this.find(reference);
    return node === this.root ? undefined : node;
  }

  create(
    parent: ModelReference,
    name: ModelName,
    fields: ModelFields,
    now: number,
  ): ModelNode | typeof NOT_FOUND {
    const destination = this.#destination(parent, now);
    if (destination === undefined) return NOT_FOUND;
    const isCode = fields.layoutMode === "code-block";
    const drafts = name.parts.map(({ prefix, word }) => {
      const node = newNode(isCode ? literalName(name) : word.stored, now);
      if (isCode) return node;
      node.layout = prefix.layout ?? "bullets";
      node.completedAt = prefix.completed === true ? now : null;
      return node;
    });
    const [first, ...others] = drafts;
    if (first === undefined) throw new Error("a name has at least one part");
    first.layout = fields.layoutMode ?? first.layout;
    first.note = fields.note ?? null;
    if (fields.completed !== undefined) first.completedAt = fields.completed ? now : null;
    this.#insert(
      first,
      destination,
      fields.position === "bottom" ? destination.children.length : 0,
    );
    if (!isCode) others.forEach((node, index) => this.#insert(node, first, index));
    return first;
  }

  update(
    reference: ModelReference,
    name: ModelName | string | undefined,
    fields: ModelFields,
    now: number,
  ): Outcome {
    const node = this.findNode(reference);
    if (node === undefined) return NOT_FOUND;
    const before = JSON.stringify([node.name, node.note, node.layout, node.completedAt]);
    let completed = fields.completed;
    if (typeof name === "object" && sentName(name) !== node.name) {
      if ((fields.layoutMode ?? node.layout) === "code-block") {
        node.name = literalName(name);
      } else {
        const prefix = name.parts[0]?.prefix;
        node.name = name.parts.map(({ word }) => word.stored).join(" ");
        node.layout = prefix?.layout ?? node.layout;
        completed ??= prefix?.completed;
      }
    }
    node.layout = fields.layoutMode ?? node.layout;
    if (fields.note !== undefined) node.note = fields.note === "" ? null : fields.note;
    if (completed !== undefined) this.#setCompleted(node, completed, now);
    const after = JSON.stringify([node.name, node.note, node.layout, node.completedAt]);
    if (after !== before) node.modifiedAt = now;
    return "200";
  }

  move(
    reference: ModelReference,
    parent: ModelReference,
    position: "top" | "bottom" | undefined,
    now: number,
  ): Outcome {
    const node = this.findNode(reference);
    if (node === undefined) return NOT_FOUND;
    if (this.#wouldLandBelow(node, parent)) return "400 invalid_parent";
    const destination = this.#destination(parent, now);
    if (destination === undefined) return NOT_FOUND;
    const siblings = node.parent?.children ?? [];
    const before = siblings.indexOf(node);
    const from = node.parent;
    siblings.splice(before, 1);
    const after = position === "bottom" ? destination.children.length : 0;
    this.#insert(node, destination, after);
    if (from !== destination || before !== after) node.modifiedAt = now;
    return "200";
  }

  complete(reference: ModelReference, completed: boolean, now: number): Outcome {
    const node = this.findNode(reference);
    if (node === undefined) return NOT_FOUND;
    if (completed !== (node.completedAt !== null)) {
      this.#setCompleted(node, completed, now);
      node.modifiedAt = now;
    }
    return "200";
  }

  remove(reference: ModelReference): Outcome {
    const node = this.findNode(reference);
    if (node === undefined) return NOT_FOUND;
    const gone = new Set([node, ...this.nodes(node)]);
    node.parent?.children.splice(node.parent.children.indexOf(node), 1);
    for (const each of gone) {
      if (each.system !== undefined && each.parent !== undefined) {
        this.#system.delete(each.system);
        this.#graves.set(each.system, { node: each, parent: each.parent });
      }
      // Each by itself: if one of them comes back, what was below it must not seem to.
      each.parent = undefined;
    }
    for (const [key, target] of this.#shortcuts) {
      if (gone.has(target)) this.#shortcuts.delete(key);
    }
    return "200";
  }

  setShortcut(key: string, reference: ModelReference): Outcome {
    const node = this.findNode(reference);
    if (node === undefined) return NOT_FOUND;
    this.#shortcuts.set(key, node);
    return "200";
  }

  removeShortcut(key: string): Outcome {
    return this.#shortcuts.delete(key) ? "200" : NOT_FOUND;
  }

  /** The system nodes that came back since this was last asked, outer ones first. */
  takeReturned(): readonly Returned[] {
    const returned = this.#returned;
    this.#returned = [];
    return returned;
  }

  /** Puts a node at an index among its siblings. */
  reorder(node: ModelNode, index: number): void {
    const siblings = node.parent?.children ?? [];
    siblings.splice(siblings.indexOf(node), 1);
    siblings.splice(index, 0, node);
  }

  shortcuts(): readonly { readonly key: string; readonly node: ModelNode }[] {
    return [...this.#shortcuts].map(([key, node]) => ({ key, node }));
  }

  #isAlive(node: ModelNode): boolean {
    let top: ModelNode | undefined = node;
    while (top !== undefined && top !== this.root) top = top.parent;
    return top === this.root;
  }

  #setCompleted(node: ModelNode, completed: boolean, now: number): void {
    if (!completed) node.completedAt = null;
    else node.completedAt ??= now;
  }

  #insert(node: ModelNode, parent: ModelNode, index: number): void {
    node.parent = parent;
    parent.children.splice(index, 0, node);
  }

  /** Whether the parent is, or would be made, in the subtree of the node. */
  #wouldLandBelow(node: ModelNode, parent: ModelReference): boolean {
    let place = this.find(parent);
    if (parent.kind === "system") {
      let key: string | undefined = parent.key;
      while (place === undefined && key !== undefined) {
        // It comes back where it stood.
        const stood = this.#graves.get(key)?.parent;
        key = systemParent(key);
        if (stood !== undefined && this.#isAlive(stood)) place = stood;
        else place = key === undefined ? this.root : this.#system.get(key);
      }
    }
    while (place !== undefined && place !== node) place = place.parent;
    return place === node;
  }

  #destination(reference: ModelReference, now: number): ModelNode | undefined {
    if (reference.kind !== "system") return this.find(reference);
    return this.#ensure(reference.key, now);
  }

  #ensure(key: string, now: number): ModelNode {
    const known = this.#system.get(key);
    if (known !== undefined) return known;
    const grave = this.#graves.get(key);
    const node = grave?.node ?? newNode(systemName(key), now, key);
    const isPlaceLeft = grave !== undefined && this.#isAlive(grave.parent);
    const parent = isPlaceLeft ? grave.parent : this.#ensureParent(key, now);
    if (grave !== undefined) {
      Object.assign(node, { note: null, completedAt: null, modifiedAt: undefined });
      node.children.length = 0;
      this.#returned.push({ node, key, parent });
    }
    this.#insert(node, parent, systemIndex(key, parent));
    this.#system.set(key, node);
    this.#graves.delete(key);
    return node;
  }

  #ensureParent(key: string, now: number): ModelNode {
    const parentKey = systemParent(key);
    return parentKey === undefined ? this.root : this.#ensure(parentKey, now);
  }
}

/** The key of the system node that a system node is made in; undefined: the top level. */
function systemParent(key: string): string | undefined {
  if (key === "inbox" || key === "calendar") return undefined;
  return key.length === 4 ? "calendar" : key.slice(0, -3);
}

function systemName(key: string): string {
  if (key === "inbox") return "Inbox";
  if (key === "calendar") return "📆 Calendar";
  if (key.length === 4) return key;
  return key.length === 7 ? (MONTHS[Number(key.slice(5)) - 1] ?? "") : dayName(key);
}

/** Where a new system node goes among its siblings, of which all that matter are system nodes. */
function systemIndex(key: string, parent: ModelNode): number {
  if (key === "inbox" || key === "calendar") return parent.children.length;
  const isBehind = (other: string) => (key.length === 4 ? other < key : other > key);
  const index = parent.children.findIndex(
    ({ system }) => system?.length === key.length && isBehind(system),
  );
  return index < 0 ? parent.children.length : index;
}
