import type * as Y from "yjs";
import { completedAtOf } from "./completion.ts";
import { DEFAULT_LAYOUT, isLayout, type Layout } from "./layout.ts";
import { modifiedAtOf } from "./modified-at.ts";
import type { NodeKey } from "../node-key.ts";
import { notesSaid } from "./notes-said.ts";
import { createdAtIn } from "../tree/placement.ts";
import { ATTRIBUTE, notesOf, stringAttribute, textOf } from "../schema.ts";
import { tabsOfName } from "../text/clean-text.ts";
import { RunBuilder, type RichText } from "../text/rich-text.ts";
import { htmlOfYText, htmlPieces, readRichText } from "../text/y-text.ts";
import type { TimeMarks } from "./time-marks.ts";
import { parseTimed } from "./timed-value.ts";
import type { TreeIndex } from "../tree/tree-index.ts";
import type { TreeRow } from "../tree/tree-row.ts";

/**
 * A visible node as it is shown outside. Times are integer Unix seconds. A mirror has a key, a place and
 * a creation of its own; all else is its origin's.
 */
export interface OutlineNode {
  readonly key: NodeKey;
  /** What it is a mirror of; absent when it is none. */
  readonly origin?: NodeKey;
  /** `ROOT` at the top level. */
  readonly parent: NodeKey;
  /** 0-based among the visible siblings. */
  readonly rank: number;
  /** HTML. */
  readonly name: string;
  /** HTML; null when there is none. */
  readonly note: string | null;
  readonly layout: Layout;
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly completedAt: number | null;
}

/** A node without its texts, which may be long: they are not read for it. */
export interface NodeShape extends Omit<OutlineNode, "name" | "note"> {
  readonly hasNote: boolean;
}

/** A node as it was at one moment, whose texts are written as they are taken. */
export interface NodeInPieces extends Omit<OutlineNode, "name" | "note"> {
  readonly name: Iterable<string>;
  readonly note: Iterable<string> | null;
}

/** As what a node is shown, whatever it says. */
export type NodeHead = Pick<OutlineNode, "layout" | "completedAt">;

export function layoutOf(text: Y.Text): Layout {
  const register = stringAttribute(text, ATTRIBUTE.layout);
  const layout = register === undefined ? undefined : parseTimed(register).value;
  return isLayout(layout) ? layout : DEFAULT_LAYOUT;
}

/** The name as HTML. */
export function nameHtmlOf(text: Y.Text): string {
  return htmlOfYText(text, tabsOfName(layoutOf(text)));
}

/** The note as HTML: what each author began, in the order of their attributes, a line for each. */
export function noteHtmlOf(text: Y.Text): string | null {
  const parts: string[] = [];
  for (const note of notesSaid(text)) parts.push(htmlOfYText(note));
  return parts.length === 0 ? null : parts.join("\n");
}

/** Same as {@link noteHtmlOf}, in pieces. */
function notePieces(text: Y.Text): Iterable<string> | null {
  const notes = notesSaid(text);
  return notes.length === 0 ? null : inLines(notes.map((note) => htmlPieces(note)));
}

function* inLines(texts: readonly Iterable<string>[]): Generator<string> {
  for (const [index, pieces] of texts.entries()) {
    if (index > 0) yield "\n";
    yield* pieces;
  }
}

/** UTF-16 units of a node's name and note, without what their markup takes. */
export function textLengthOf(text: Y.Text): number {
  return notesOf(text).reduce((length, note) => length + note.length, text.length);
}

/** The note as runs, made of the same parts as {@link noteHtmlOf}. */
export function richTextOfNotes(text: Y.Text): RichText {
  const runs = new RunBuilder();
  let isFirst = true;
  for (const note of notesSaid(text)) {
    if (!isFirst) runs.add("\n");
    isFirst = false;
    for (const { insert, attributes } of readRichText(note)) runs.add(insert, attributes);
  }
  return runs.finish();
}

/** Unix seconds. */
function createdAtOf(row: TreeRow): number {
  return Math.max(1, Math.floor(createdAtIn(row.register) / 1000));
}

/** Reads nodes out of a document and its index. */
export class NodeReader {
  readonly #tree: TreeIndex;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #marks: TimeMarks;
  readonly #deletions: ReadonlyMap<NodeKey, number>;

  /** @param deletions Unix seconds at which nodes lost text, as far as no stamp says it */
  constructor(
    tree: TreeIndex,
    nodes: Y.Map<Y.Text>,
    marks: TimeMarks,
    deletions: ReadonlyMap<NodeKey, number>,
  ) {
    this.#tree = tree;
    this.#nodes = nodes;
    this.#marks = marks;
    this.#deletions = deletions;
  }

  /** The node of a row; undefined for the root and for a row whose text is gone. */
  read(row: TreeRow, parent: NodeKey, rank: number): OutlineNode | undefined {
    const text = this.#textOf(row);
    if (text === undefined) return undefined;
    const name = nameHtmlOf(text);
    return { ...this.#rest(row, text), parent, rank, name, note: noteHtmlOf(text) };
  }

  /** The same with its texts in pieces. */
  readInPieces(row: TreeRow, parent: NodeKey, rank: number): NodeInPieces | undefined {
    const text = this.#textOf(row);
    if (text === undefined) return undefined;
    const name = htmlPieces(text, tabsOfName(layoutOf(text)));
    return { ...this.#rest(row, text), parent, rank, name, note: notePieces(text) };
  }

  /** The same without its texts. */
  readShape(row: TreeRow, parent: NodeKey, rank: number): NodeShape | undefined {
    const text = this.#textOf(row);
    if (text === undefined) return undefined;
    const hasNote = notesOf(text).some((note) => note.length > 0);
    return { ...this.#rest(row, text), parent, rank, hasNote };
  }

  /** As what a row is shown; undefined for the root and for a row whose text is gone. */
  head(row: TreeRow): NodeHead | undefined {
    const text = this.#textOf(row);
    return text && { layout: layoutOf(text), completedAt: completedAtOf(text) };
  }

  /** The row whose texts are shown in a row: of a mirror its origin's. */
  #holder(row: TreeRow): TreeRow {
    const origin = this.#tree.mirrors.originOf(row.key);
    return (origin && this.#tree.rowAt(origin)) ?? row;
  }

  #textOf(row: TreeRow): Y.Text | undefined {
    return textOf(this.#nodes, this.#holder(row).key);
  }

  #rest(row: TreeRow, text: Y.Text): Omit<OutlineNode, "parent" | "rank" | "name" | "note"> {
    const held = this.#holder(row);
    const completedAt = completedAtOf(text);
    return {
      key: row.key,
      ...(held !== row && { origin: held.key }),
      layout: layoutOf(text),
      createdAt: createdAtOf(row),
      modifiedAt: Math.max(1, this.modifiedAt(row)),
      // By a clock that was behind, or by a seed's creation.
      completedAt: completedAt === null ? null : Math.max(completedAt, createdAtOf(held)),
    };
  }

  /** Unix seconds; worked out once and kept in the row until something in the node changes. */
  modifiedAt(shown: TreeRow): number {
    const row = this.#holder(shown);
    if (row.modifiedAt === 0) {
      const text = textOf(this.#nodes, row.key);
      row.modifiedAt = text === undefined ? 0 : modifiedAtOf(text, row.register, this.#marks);
    }
    return Math.max(row.modifiedAt, this.#deletions.get(row.key) ?? 0);
  }
}
