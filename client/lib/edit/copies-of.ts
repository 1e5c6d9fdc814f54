import { completedAtOf } from "../../../src/core/node/completion.ts";
import { layoutOf, richTextOfNotes } from "../../../src/core/node/node-reader.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import type { Seedling } from "../../../src/core/calendar/planter.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { readRichText } from "../../../src/core/text/y-text.ts";

/** Copies of nodes with everything below them, read before the first is planted. */
export function copiesOf(outline: Outline, keys: readonly NodeKey[]): readonly Seedling[] {
  const copies: Seedling[] = [];
  for (const top of keys) {
    const depths = new Map<NodeKey, number>();
    const below = outline.heldBy(top) === top ? outline.keysInOrder(top) : [];
    for (const key of [top, ...below]) {
      const parent = outline.tree.rowAt(key)?.parent?.key;
      const depth = key === top || parent === undefined ? 0 : (depths.get(parent) ?? 0) + 1;
      depths.set(key, depth);
      const origin = outline.heldBy(key);
      // A copy of a mirror is another one.
      if (origin !== key) {
        copies.push({ depth, name: [], origin });
        continue;
      }
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
