import { parseDeletion } from "../../../src/core/node/deletion-mark.ts";
import { isReservedKey, type NodeKey } from "../../../src/core/node-key.ts";
import { richTextOfNotes } from "../../../src/core/node/node-reader.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { plainText } from "../../../src/core/text/rich-text.ts";
import { countBelow } from "../outline/rows/count-below.ts";
import { pathOf, plainNameOf, shortened, titleOf } from "../page/node-names.ts";

/** A node in the trash, as a person recognises it. */
export interface TrashedNode {
  readonly key: NodeKey;
  readonly title: string;
  /** Where it was: `Home › Work`. */
  readonly place: string;
  /** Nodes that went with it. */
  readonly below: number;
}

/** Counting further tells nobody anything. */
const MOST_COUNTED = 1000;

/**
 * What is in the trash, the last deleted first as far as is known. An empty line, as undoing and
 * joining leave it there, is nothing that anybody wants back.
 */
export function trashedNodes(outline: OutlineView): readonly TrashedNode[] {
  return outline
    .trashedKeys()
    .filter((key) => !isEmpty(outline, key))
    .map((key) => ({ key, seen: seenOf(outline, key) }))
    .toSorted((a, b) => b.seen - a.seen || (a.key < b.key ? -1 : 1))
    .map(({ key }) => ({
      key,
      title: shortened(titleOf(outline, key), 120),
      place: ["Home", ...pathOf(outline, key).map((title) => shortened(title, 32))].join(" › "),
      below: countBelow(outline, key, MOST_COUNTED),
    }));
}

/** A reserved node has its name by itself, which says nothing. */
function isEmpty(outline: OutlineView, key: NodeKey): boolean {
  if (!isReservedKey(key) && plainNameOf(outline, key) !== "") return false;
  const text = textOf(nodesOf(outline.doc), outline.heldBy(key));
  const hasNote = text !== undefined && plainText(richTextOfNotes(text)).trim() !== "";
  return !hasNote && countBelow(outline, key, 1) === 0;
}

/** How much of the outline its deleter had seen: grows with time. */
function seenOf(outline: OutlineView, key: NodeKey): number {
  const seen = parseDeletion(outline.tree.rowAt(key)?.deletion)?.seen ?? 0;
  return seen === "everything" ? Infinity : seen;
}
