import { INBOX, ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { plainText } from "../../../src/core/text/rich-text.ts";
import { readRichText } from "../../../src/core/text/y-text.ts";

/** What home is called. */
export const HOME = "Home";
const UNNAMED = "Untitled";

/** The name of a node without its formats, deleted nodes too; empty when it has none. */
export function plainNameOf(outline: OutlineView, key: NodeKey): string {
  const text = textOf(nodesOf(outline.doc), outline.heldBy(key));
  return text === undefined ? "" : plainText(readRichText(text)).trim();
}

/** What a node is called where it has to be called something. */
export function titleOf(outline: OutlineView, key: NodeKey): string {
  if (key === ROOT) return HOME;
  const name = plainNameOf(outline, key);
  if (name !== "") return name;
  return key === INBOX ? "Inbox" : UNNAMED;
}

/** The titles of what a node is in, from the top level down, without the node itself and home. */
export function pathOf(outline: OutlineView, key: NodeKey): readonly string[] {
  const titles: string[] = [];
  let row = outline.tree.rowAt(key)?.parent;
  while (row !== undefined && row.key !== ROOT) {
    titles.push(titleOf(outline, row.key));
    row = row.parent;
  }
  return titles.reverse();
}

/** What a search is called, with where it looks. */
export function searchInWords(
  outline: OutlineView,
  query: string,
  below: NodeKey,
  length: number,
): string {
  return shortened(below === ROOT ? query : `${query} in ${titleOf(outline, below)}`, length);
}

/** A text that fits on a line of a list. */
export function shortened(text: string, length = 80): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;
}
