import type * as Y from "yjs";
import { completedAtOf } from "./completion.ts";
import { DEFAULT_LAYOUT, isLayout, type Layout } from "./layout.ts";
import { modifiedAtOf } from "./modified-at.ts";
import type { NodeKey } from "./node-key.ts";
import { createdAtIn } from "./placement.ts";
import { ATTRIBUTE, notesOf, stringAttribute, textOf } from "./schema.ts";
import { RunBuilder, type RichText } from "./text/rich-text.ts";
import { htmlOfYText, readRichText } from "./text/y-text.ts";
import type { TimeMarks } from "./time-marks.ts";
import { parseTimed } from "./timed-value.ts";
import type { TreeRow } from "./tree-row.ts";

/** A visible node as it is shown outside. Times are integer Unix seconds. */
export interface OutlineNode {
  readonly key: NodeKey;
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

export function layoutOf(text: Y.Text): Layout {
  const register = stringAttribute(text, ATTRIBUTE.layout);
  const layout = register === undefined ? undefined : parseTimed(register).value;
  return isLayout(layout) ? layout : DEFAULT_LAYOUT;
}

/** The note as HTML: what each author began, in the order of their attributes, a line for each. */
export function noteHtmlOf(text: Y.Text): string | null {
  const parts: string[] = [];
  for (const note of notesOf(text)) if (note.length > 0) parts.push(htmlOfYText(note));
  return parts.length === 0 ? null : parts.join("\n");
}

/** The note as runs, made of the same parts as {@link noteHtmlOf}. */
export function richTextOfNotes(text: Y.Text): RichText {
  const runs = new RunBuilder();
  let isFirst = true;
  for (const note of notesOf(text)) {
    if (note.length === 0) continue;
    if (!isFirst) runs.add("\n");
    isFirst = false;
    for (const { insert, attributes } of readRichText(note)) runs.add(insert, attributes);
  }
  return runs.finish();
}

/** Reads nodes out of a document and its index. */
export class NodeReader {
  readonly #nodes: Y.Map<Y.Text>;
  readonly #marks: TimeMarks;
  readonly #deletions: ReadonlyMap<NodeKey, number>;

  /** @param deletions Unix seconds at which nodes lost text, as far as no stamp says it */
  constructor(nodes: Y.Map<Y.Text>, marks: TimeMarks, deletions: ReadonlyMap<NodeKey, number>) {
    this.#nodes = nodes;
    this.#marks = marks;
    this.#deletions = deletions;
  }

  /** The node of a row; undefined for the root and for a row whose text is gone. */
  read(row: TreeRow, parent: NodeKey, rank: number): OutlineNode | undefined {
    const text = textOf(this.#nodes, row.key);
    if (text === undefined) return undefined;
    const createdAt = Math.max(1, Math.floor(createdAtIn(row.register) / 1000));
    const completedAt = completedAtOf(text);
    return {
      key: row.key,
      parent,
      rank,
      name: htmlOfYText(text),
      note: noteHtmlOf(text),
      layout: layoutOf(text),
      createdAt,
      modifiedAt: Math.max(1, this.modifiedAt(row)),
      // By a clock that was behind, or by a seed's creation.
      completedAt: completedAt === null ? null : Math.max(completedAt, createdAt),
    };
  }

  /** Unix seconds; worked out once and kept in the row until something in the node changes. */
  modifiedAt(row: TreeRow): number {
    if (row.modifiedAt === 0) {
      const text = textOf(this.#nodes, row.key);
      row.modifiedAt = text === undefined ? 0 : modifiedAtOf(text, row.register, this.#marks);
    }
    return Math.max(row.modifiedAt, this.#deletions.get(row.key) ?? 0);
  }
}
