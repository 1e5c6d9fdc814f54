import { makeSystemNode } from "../core/make-system-node.ts";
import { isReservedKey, type NodeKey } from "../core/node-key.ts";
import type { Outline } from "../core/outline.ts";
import { nodesOf } from "../core/schema.ts";
import { htmlInSteps } from "../core/text/html.ts";
import { linesOfName } from "../core/text/line-break.ts";
import type { OutlineEntry } from "../formats/outline-entry.ts";

/** After so many nodes, about a millisecond, others may have their turn. */
const SLICE_NODES = 25;

/**
 * Adds the entries of an import at the bottom of `parent`, in slices. A wished key is given where no
 * node has or had it. The inbox and the days of the calendar are the outline's own: what the file
 * has below them goes below those that are there, or are made, at their own places.
 * @param options `onProgress` may throw, which gives the import up
 */
export function* addEntries(
  outline: Outline,
  parent: NodeKey,
  entries: readonly OutlineEntry[],
  options: { readonly nowSec: number; readonly onProgress: (done: number) => void },
): Generator<void, void> {
  /** The nodes around the next entry. */
  const path: NodeKey[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index % SLICE_NODES === 0) {
      options.onProgress(index);
      yield;
    }
    path.length = entry.depth;
    path.push(yield* addEntry(outline, path.at(-1) ?? parent, entry, options.nowSec));
  }
}

function* addEntry(
  outline: Outline,
  parent: NodeKey,
  entry: OutlineEntry,
  nowSec: number,
): Generator<void, NodeKey> {
  const { key, layout, createdAt, modifiedAt } = entry;
  const content = {
    layout,
    createdAt,
    modifiedAt,
    completedAt: completedAtOf(entry, nowSec),
    name: yield* htmlInSteps(entry.name, linesOfName(layout)),
    note: yield* htmlInSteps(entry.note ?? ""),
  };
  if (key !== undefined && isReservedKey(key)) {
    if (!outline.has(key)) makeSystemNode(outline, key, content, nowSec);
    return key;
  }
  const wish = key !== undefined && isFree(outline, key) ? key : undefined;
  return outline.createPlain({ ...content, parent, position: "bottom", key: wish });
}

function completedAtOf({ completedAt }: OutlineEntry, nowSec: number): number | undefined {
  return completedAt === "unknown" ? nowSec : completedAt;
}

/** The key of a node that is gone is not free: nothing may ever use it again. */
function isFree(outline: Outline, key: NodeKey): boolean {
  return !nodesOf(outline.doc)._map.has(key);
}
