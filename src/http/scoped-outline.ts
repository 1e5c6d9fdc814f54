import { todayIn } from "../core/calendar.ts";
import { ROOT, type NodeKey } from "../core/node-key.ts";
import type { OutlineNode } from "../core/node-reader.ts";
import type { Outline } from "../core/outline.ts";
import {
  find,
  findDestination,
  parseReference,
  type Reference,
  type ReferenceContext,
} from "../core/reference.ts";
import { idPrefixOf, presentNode } from "./present-node.ts";

/**
 * An outline as one API key sees it: all of it, or for a limited key what is at and below one node,
 * which then is the top level.
 */
export class OutlineView {
  readonly outline: Outline;
  /** The top level of what the key reaches: a place, and with a limited key a node too. */
  readonly top: NodeKey;
  readonly #idPrefix: string;
  readonly #context: ReferenceContext;

  /** @param now milliseconds since 1970 */
  constructor(outline: Outline, limitedTo: NodeKey | undefined, now: () => number) {
    this.outline = outline;
    this.top = limitedTo ?? ROOT;
    this.#idPrefix = idPrefixOf(outline.id);
    this.#context = {
      outline: outline.id,
      today: () => todayIn(outline.settings().timezone, now()),
      get weekStart() {
        return outline.settings().weekStart;
      },
    };
  }

  /** The key of the visible node that a reference means. The top level is none. */
  node(text: string): NodeKey | undefined {
    const reference = this.#parse(text);
    if (reference.kind === "root") return undefined;
    const strict =
      reference.kind === "shortcut" && reference.orRoot
        ? { ...reference, orRoot: false }
        : reference;
    const key = find(this.outline, strict, this.top);
    return key === ROOT ? undefined : key;
  }

  /** The visible node, or the top level, that a reference means: where to list. */
  place(text: string | null | undefined): NodeKey | undefined {
    return this.#reachable(find(this.outline, this.#parse(text), this.top));
  }

  /** Like `place`, and also a system node that is missing and that a new child makes. */
  destination(text: string | null | undefined): NodeKey | undefined {
    return this.#reachable(findDestination(this.outline, this.#parse(text), this.top));
  }

  /** Whether a node is visible and one that the key reaches. */
  reaches(key: NodeKey): boolean {
    return this.outline.contains(this.top, key);
  }

  /** The name of a node; `null` when it is not visible. */
  name(key: NodeKey): string | null {
    return this.outline.node(key)?.name ?? null;
  }

  /** The settings, as JSON. */
  settings(): string {
    const { timezone, weekStart } = this.outline.settings();
    return JSON.stringify({ timezone, weekStart });
  }

  /** The full id of a node. */
  id(key: NodeKey): string {
    return this.#idPrefix + key;
  }

  /** The JSON of a node as the key sees it. */
  present(node: OutlineNode): string {
    const { key, parent, rank } = node;
    const place =
      key === this.top
        ? { parent: undefined, rank: 0 }
        : { parent: parent === ROOT ? undefined : parent, rank };
    return presentNode(node, this.#idPrefix, place);
  }

  /**
   * Everything that the key reaches, in document order: a limited key's own node first. Which nodes
   * and where is as it is when the first one is taken.
   */
  *nodesInOrder(): Generator<OutlineNode> {
    const top = this.outline.node(this.top);
    const below = this.outline.nodesInOrder(this.top);
    const first = below.next();
    if (top !== undefined) yield top;
    if (first.done === true) return;
    yield first.value;
    yield* below;
  }

  /**
   * The children of a node or of the top level, in their order. Which they are and where is as it is
   * when the first one is taken; one that is deleted meanwhile is left out.
   */
  *children(parent: NodeKey): Generator<OutlineNode> {
    for (const [rank, key] of this.outline.childKeys(parent).entries()) {
      const node = this.outline.node(key);
      if (node !== undefined) yield { ...node, parent, rank };
    }
  }

  #parse(text: string | null | undefined): Reference {
    return parseReference(text, this.#context);
  }

  /** A limited key whose node is gone reaches nothing, the top level included. */
  #reachable(key: NodeKey | undefined): NodeKey | undefined {
    return key === this.top && key !== ROOT && !this.outline.has(key) ? undefined : key;
  }
}
