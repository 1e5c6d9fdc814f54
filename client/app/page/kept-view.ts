import { isLayout, type Layout } from "../../../src/core/node/layout.ts";
import { isOutlineId, type NodeKey, type OutlineId } from "../../../src/core/node-key.ts";
import type { RichText, Run } from "../../../src/core/text/rich-text.ts";
import { isRowId, type RowId } from "../outline/rows/row-id.ts";
import { isRecord } from "./is-record.ts";
import type { PageStorage } from "./page-storage.ts";

/** A row as it was when the page was last left. */
export interface KeptRow {
  readonly key: RowId;
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

export function writeKeptView(storage: PageStorage, view: KeptView): void {
  storage.write(NAME, view);
}

export function forgetView(storage: PageStorage): void {
  storage.write(NAME, undefined);
}

function rowOf(value: unknown): KeptRow | undefined {
  if (!isRecord(value)) return undefined;
  const { key, depth, name, note, layout } = value;
  if (typeof key !== "string" || !isRowId(key) || typeof depth !== "number") return undefined;
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
