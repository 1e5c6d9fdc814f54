import { completedAtOf } from "../../../src/core/completion.ts";
import { layoutOf, richTextOfNotes } from "../../../src/core/node-reader.ts";
import { makeSystemNode } from "../../../src/core/make-system-node.ts";
import { isReservedKey, type NodeKey } from "../../../src/core/node-key.ts";
import type { Destination, Outline, PlainNode } from "../../../src/core/outline.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import { linesOfName } from "../../../src/core/text/line-break.ts";
import { richTextOfNote } from "../../../src/core/text/note.ts";
import { readRichText } from "../../../src/core/text/y-text.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";

/** A node to be made; a list of them in document order is a forest, as with {@link OutlineEntry}. */
export interface Seedling extends Omit<PlainNode, "parent" | "position"> {
  /** 0 for the top nodes; at most one more than that of the one before. */
  readonly depth: number;
}

export interface PlantedForest {
  /** All new nodes, each behind its parent where that is new too. */
  readonly keys: readonly NodeKey[];
  readonly tops: readonly NodeKey[];
}

/**
 * Makes a forest at a place that is there, in the transaction under way. The inbox and the nodes of
 * the calendar are the outline's own: they stay or are made at their own places, and what the forest
 * has below them goes below them.
 */
export function plantForest(
  outline: Outline,
  seedlings: Iterable<Seedling>,
  { parent, position = "top" }: Destination,
): PlantedForest {
  const keys: NodeKey[] = [];
  const tops: NodeKey[] = [];
  /** The nodes around the next one. */
  const path: NodeKey[] = [];
  /** Where the next top node goes. */
  let next: Destination["position"] = position;
  for (const { depth, ...content } of seedlings) {
    path.length = Math.min(depth, path.length);
    const above = path.at(-1);
    let { key } = content;
    if (key !== undefined && isReservedKey(key)) {
      if (!outline.has(key)) keys.push(...makeSystemNode(outline, key, content, nowSecOf(outline)));
    } else {
      const to = above === undefined ? { parent, position: next } : below(above);
      key = outline.createPlain({ ...content, ...to });
      if (above === undefined) next = { after: key };
      keys.push(key);
    }
    if (above === undefined) tops.push(key);
    path.push(key);
  }
  return { keys, tops };
}

function below(parent: NodeKey): Destination {
  return { parent, position: "bottom" };
}

function nowSecOf(outline: Outline): number {
  return Math.floor(outline.now() / 1000);
}

/** What is to be made of the entries of a file or of the clipboard. */
export function* seedlingsOfEntries(
  outline: Outline,
  entries: readonly OutlineEntry[],
): Generator<Seedling> {
  const taken = nodesOf(outline.doc)._map;
  for (const { depth, key, name, note, layout, createdAt, modifiedAt, completedAt } of entries) {
    yield {
      depth,
      // Nothing may ever have the key of a node that is gone, but the outline's own come back.
      key: key === undefined || isReservedKey(key) || !taken.has(key) ? key : undefined,
      name: richTextOfHtml(name, linesOfName(layout)),
      note: richTextOfNote(note ?? ""),
      layout,
      createdAt,
      modifiedAt,
      completedAt: completedAt === "unknown" ? nowSecOf(outline) : completedAt,
    };
  }
}

/** Copies of nodes with everything below them, read before the first is planted. */
export function copiesOf(outline: Outline, keys: readonly NodeKey[]): readonly Seedling[] {
  const copies: Seedling[] = [];
  for (const top of keys) {
    const depths = new Map<NodeKey, number>();
    for (const key of [top, ...outline.keysInOrder(top)]) {
      const parent = outline.tree.rowAt(key)?.parent?.key;
      const depth = key === top || parent === undefined ? 0 : (depths.get(parent) ?? 0) + 1;
      depths.set(key, depth);
      const text = textOf(nodesOf(outline.doc), key);
      if (text === undefined) continue;
      copies.push({
        depth,
        name: readRichText(text),
        note: richTextOfNotes(text),
        layout: layoutOf(text),
        completedAt: completedAtOf(text),
      });
    }
  }
  return copies;
}
