import { isLayout, type Layout } from "../../../src/core/layout.ts";
import {
  isNodeKey,
  isOutlineId,
  type NodeKey,
  type OutlineId,
  ROOT,
} from "../../../src/core/node-key.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import type { RichText, Run } from "../../../src/core/text/rich-text.ts";
import { readRichText } from "../../../src/core/text/y-text.ts";
import type { Row } from "../outline/outline-rows.ts";
import { isRecord } from "./is-record.ts";
import { plainNameOf } from "./node-names.ts";
import type { PageStorage } from "./page-storage.ts";

/** A row as it was when the page was last left. */
export interface KeptRow {
  readonly key: NodeKey;
  readonly depth: number;
  readonly name: RichText;
  readonly note: string;
  readonly layout: Layout;
  readonly isCompleted: boolean;
  readonly hasChildren: boolean;
  readonly isExpanded: boolean;
}

/** The first rows of the last view: shown until the outline itself is loaded. */
export interface KeptView {
  readonly outline: OutlineId;
  readonly zoom: NodeKey;
  /** Of the zoomed node; empty at home. */
  readonly title: string;
  readonly rows: readonly KeptRow[];
}

const NAME = "view";
/** More than a screen shows. */
const MOST_ROWS = 60;
const LONGEST_TEXT = 400;

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
  storage.write(NAME, view);
}

function keptRowOf(outline: OutlineView, { key, depth, hasChildren, isExpanded }: Row): KeptRow {
  const node = outline.node(key);
  const text = textOf(nodesOf(outline.doc), key);
  return {
    key,
    depth,
    name: text === undefined ? [] : cut(readRichText(text)),
    note: (node?.note ?? "").replace(/<[^>]*>/g, "").slice(0, LONGEST_TEXT),
    layout: node?.layout ?? "bullets",
    isCompleted: node !== undefined && node.completedAt !== null,
    hasChildren,
    isExpanded,
  };
}

function cut(text: RichText): RichText {
  const runs: Run[] = [];
  let left = LONGEST_TEXT;
  for (const run of text) {
    if (left <= 0) break;
    runs.push({ ...run, insert: run.insert.slice(0, left) });
    left -= run.insert.length;
  }
  return runs;
}

/** What was kept of this outline at this place; undefined when that is another or nothing. */
export function readKeptView(
  storage: PageStorage,
  outline: OutlineId,
  zoom: NodeKey,
): KeptView | undefined {
  const value = storage.read(NAME);
  if (!isRecord(value) || value["outline"] !== outline || !isOutlineId(outline)) return undefined;
  const { title, rows } = value;
  if (value["zoom"] !== zoom || typeof title !== "string" || !Array.isArray(rows)) return undefined;
  const kept = rows.map(rowOf).filter((row) => row !== undefined);
  return kept.length === rows.length ? { outline, zoom, title, rows: kept } : undefined;
}

export function forgetView(storage: PageStorage): void {
  storage.write(NAME, undefined);
}

function rowOf(value: unknown): KeptRow | undefined {
  if (!isRecord(value)) return undefined;
  const { key, depth, name, note, layout } = value;
  if (typeof key !== "string" || !isNodeKey(key) || typeof depth !== "number") return undefined;
  if (!Array.isArray(name) || !name.every(isRun) || !isLayout(layout)) return undefined;
  return {
    key,
    depth,
    name,
    note: typeof note === "string" ? note : "",
    layout,
    isCompleted: value["isCompleted"] === true,
    hasChildren: value["hasChildren"] === true,
    isExpanded: value["isExpanded"] === true,
  };
}

function isRun(value: unknown): value is Run {
  if (!isRecord(value) || typeof value["insert"] !== "string") return false;
  const formats = value["attributes"];
  return (
    formats === undefined ||
    (isRecord(formats) &&
      Object.values(formats).every((each) => each === true || typeof each === "string"))
  );
}
