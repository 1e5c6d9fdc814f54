import { isNodeKey, ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { ScopedOutline } from "../../../src/http/scoped-outline.ts";

/** What is shown of an outline at one moment, as the API words it. */
export interface View {
  /** The JSON of every visible node. */
  readonly nodes: ReadonlyMap<NodeKey, string>;
  /** Below their parents, in their order. */
  readonly children: ReadonlyMap<NodeKey, readonly NodeKey[]>;
  /** How often each node may have changed so far. */
  readonly versions: ReadonlyMap<NodeKey, number>;
  /** How often any node may have changed its place so far. */
  readonly placements: number;
}

/** Words a replica as the API would, moment by moment. */
export class Viewer {
  readonly outline: Outline;
  changes = 0;
  readonly #scoped: ScopedOutline;
  readonly #versions = new Map<NodeKey, number>();
  #placements = 0;

  constructor(outline: Outline) {
    this.outline = outline;
    this.#scoped = new ScopedOutline(outline, undefined, Date.now);
    outline.onChange(({ nodes, placed }) => {
      this.changes++;
      if (placed.size > 0) this.#placements++;
      for (const key of nodes) this.#versions.set(key, (this.#versions.get(key) ?? 0) + 1);
    });
  }

  view(): View {
    const nodes = new Map<NodeKey, string>();
    const children = new Map<NodeKey, readonly NodeKey[]>();
    const parents: NodeKey[] = [ROOT];
    for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
      const keys = this.outline.childKeys(parent);
      children.set(parent, keys);
      for (const key of keys) {
        const json = this.#scoped.show(key);
        if (json !== undefined) nodes.set(key, json);
        parents.push(key);
      }
    }
    return { nodes, children, versions: new Map(this.#versions), placements: this.#placements };
  }
}

/** The key of a node in an answer of the API. */
export function keyIn(id: string): NodeKey {
  const key = id.replaceAll("-", "").slice(-ROOT.length);
  if (!isNodeKey(key)) throw new Error(`not a key: ${id}`);
  return key;
}
