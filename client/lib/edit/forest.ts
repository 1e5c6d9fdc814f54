import { completedAtOf, layoutOf, richTextOfNotes } from "../../../src/core/node-reader.ts";
import { isReservedKey, type NodeKey } from "../../../src/core/node-key.ts";
import type { Destination, Outline, PlainNode } from "../../../src/core/outline.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import { richTextOfNote } from "../../../src/core/text/note.ts";
import { readRichText } from "../../../src/core/text/y-text.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";

/** A node to be made; a list of them in document order is a forest, as with {@link OutlineEntry}. */
export interface Seedling extends Omit<PlainNode, "parent" | "position"> {
  /** 0 for the top nodes; at most one more than that of the one before. */
  readonly depth: number;
}

export interface PlantedForest {
  /** All new nodes, each behind its parent. */
  readonly keys: readonly NodeKey[];
  readonly tops: readonly NodeKey[];
}

/** Makes a forest at a place that is there, in the transaction under way. */
export function plantForest(
  outline: Outline,
  seedlings: Iterable<Seedling>,
  { parent, position = "top" }: Destination,
): PlantedForest {
  const keys: NodeKey[] = [];
  const tops: NodeKey[] = [];
  /** The nodes around the next one. */
  const path: NodeKey[] = [];
  for (const { depth, ...content } of seedlings) {
    path.length = Math.min(depth, path.length);
    const above = path.at(-1);
    const before = tops.at(-1);
    const key = outline.createPlain({
      ...content,
      parent: above ?? parent,
      position:
        above !== undefined ? "bottom" : before === undefined ? position : { after: before },
    });
    if (above === undefined) tops.push(key);
    keys.push(key);
    path.push(key);
  }
  return { keys, tops };
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
      // Nothing may ever have the key of a node that is gone.
      key: key === undefined || isReservedKey(key) || taken.has(key) ? undefined : key,
      name: richTextOfHtml(name),
      note: richTextOfNote(note ?? ""),
      layout,
      createdAt,
      modifiedAt,
      completedAt: completedAt === "unknown" ? Math.floor(outline.now() / 1000) : completedAt,
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
