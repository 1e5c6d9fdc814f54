import type { Layout } from "../../../../src/core/node/layout.ts";
import type { NodeKey } from "../../../../src/core/node-key.ts";
import { completedAtOf } from "../../../../src/core/node/completion.ts";
import { layoutOf } from "../../../../src/core/node/node-reader.ts";
import type { Outline } from "../../../../src/core/outline.ts";
import { nodesOf, notesOf, textOf } from "../../../../src/core/schema.ts";
import type { Replica } from "../../../lib/replica.ts";
import { followOutline } from "../../state/follow-outline.ts";

/** What a row shows of its node besides the texts, which the editors follow by themselves. */
export interface NodeFacts {
  readonly layout: Layout;
  readonly isCompleted: boolean;
  readonly hasNote: boolean;
  readonly isMirror: boolean;
}

const NO_FACTS: NodeFacts = {
  layout: "bullets",
  isCompleted: false,
  hasNote: false,
  isMirror: false,
};

/** The facts of a node; those of an empty one when it is gone. */
export function factsOf(outline: Outline, key: NodeKey): NodeFacts {
  const held = outline.heldBy(key);
  const text = textOf(nodesOf(outline.doc), held);
  if (text === undefined) return NO_FACTS;
  return {
    layout: layoutOf(text),
    isCompleted: completedAtOf(text) !== null,
    hasNote: notesOf(text).some((note) => note.length > 0),
    isMirror: held !== key,
  };
}

/** Whether a line has no text, no note and nothing below it. */
export function isEmptyLine({ outline, edits }: Replica, key: NodeKey): boolean {
  const hasText = (edits.text(key, "name")?.length ?? 0) > 0;
  return !hasText && !factsOf(outline, key).hasNote && outline.childCount(key) === 0;
}

/** Tells who shows a node that it has changed, and nobody else. */
export class NodeWatch {
  readonly #listeners = new Map<NodeKey, Set<() => void>>();
  /** Stops following the replica. */
  readonly close: () => void;

  constructor(replica: Replica) {
    const follow = (outline: Outline): (() => void) =>
      outline.onChange(({ nodes }) => {
        // Far more nodes may change at once than are on the screen.
        if (nodes.size < this.#listeners.size) for (const key of nodes) this.#tell(key);
        else this.#tellAll((key) => nodes.has(key));
      });
    // In another outline everything may be otherwise.
    this.close = followOutline(replica, follow, () => this.#tellAll(() => true));
  }

  /** Called after each change of a node. Answers how to stop. */
  watch(key: NodeKey, listener: () => void): () => void {
    const listeners = this.#listeners.get(key) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(key, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners)
        this.#listeners.delete(key);
    };
  }

  #tellAll(concerns: (key: NodeKey) => boolean): void {
    for (const key of Array.from(this.#listeners.keys())) if (concerns(key)) this.#tell(key);
  }

  #tell(key: NodeKey): void {
    for (const listener of Array.from(this.#listeners.get(key) ?? [])) listener();
  }
}
