import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import { plainText } from "../../../src/core/text/rich-text.ts";
import { sliceOfText } from "../../lib/edit/slice-of-text.ts";
import type { Row } from "../outline/rows/outline-rows.ts";
import { type KeptRow, type KeptView, writeKeptView } from "./kept-view.ts";
import { plainNameOf } from "./node-names.ts";
import type { PageStorage } from "./page-storage.ts";

/** More than a screen shows. */
const MOST_ROWS = 60;
const LONGEST_TEXT = 400;

/** Keeps the first rows of a view, to be shown when the page is next loaded. */
export function keepView(
  storage: PageStorage,
  outline: OutlineView,
  zoom: NodeKey,
  rows: readonly Row[],
): void {
  const view: KeptView = {
    outline: outline.id,
    zoom,
    title: zoom === ROOT ? "" : plainNameOf(outline, zoom),
    rows: rows.slice(0, MOST_ROWS).map((row) => keptRowOf(outline, row)),
  };
  writeKeptView(storage, view);
}

function keptRowOf(
  outline: OutlineView,
  { id, key, depth, hasChildren, isExpanded }: Row,
): KeptRow {
  const node = outline.node(key);
  return {
    key: id,
    depth,
    name: sliceOfText(outline.richText(key, "name"), 0, LONGEST_TEXT),
    note: plainText(outline.richText(key, "note")).slice(0, LONGEST_TEXT),
    layout: node?.layout ?? "bullets",
    isCompleted: node !== undefined && node.completedAt !== null,
    hasChildren,
    isExpanded,
  };
}
