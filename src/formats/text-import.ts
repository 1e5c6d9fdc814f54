import { DEFAULT_LAYOUT } from "../core/node/layout.ts";
import { escapeText } from "../core/text/render.ts";
import { EntryCollector } from "./entry-collector.ts";
import { indentationOf } from "./indentation.ts";
import { LineSplitter } from "./line-splitter.ts";
import { CHECKBOX } from "./markdown-line.ts";
import type { ImportLimits, OutlineReader, ReadResult } from "./outline-entry.ts";

const BULLET = /^[-*•](?:[ \t]+|$)/u;
const NOTE_MARK = "> ";

interface TextLine {
  readonly columns: number;
  readonly text: string;
  readonly number: number;
  readonly note: string[];
}

/**
 * Reads indented text: every line is a node, below the nearest line before it that is indented less.
 * `[ ]` and `[x]` begin todo items, lines that begin with `> ` are the note of the node above, and
 * when every other line begins with a bullet, the bullets go. All else is taken literally.
 */
export class TextImport implements OutlineReader {
  readonly #limits: ImportLimits;
  readonly #found: TextLine[] = [];
  readonly #lines = new LineSplitter((line, number) => this.#read(line, number));
  #isBulleted = true;

  constructor(limits: ImportLimits) {
    this.#limits = limits;
  }

  push(piece: string): boolean {
    this.#lines.push(piece);
    return this.#found.length <= this.#limits.maxNodes;
  }

  finish(): ReadResult {
    this.#lines.finish();
    const entries = new EntryCollector(this.#limits);
    /** The columns of the lines around the next one. */
    const path: number[] = [];
    for (const line of this.#found) {
      while ((path.at(-1) ?? -1) >= line.columns) path.pop();
      const text = this.#isBulleted ? line.text.replace(BULLET, "") : line.text;
      const box = CHECKBOX.exec(text);
      const name = box === null ? text : text.slice(box[0].length);
      entries.add(
        {
          depth: path.length,
          name: escapeText(name),
          layout: box === null ? DEFAULT_LAYOUT : "todo",
          ...(box !== null && box[1] !== " " && { completedAt: "unknown" }),
          ...(line.note.length > 0 && { note: escapeText(line.note.join("\n")) }),
        },
        line.number,
      );
      if (entries.isBroken) break;
      path.push(line.columns);
    }
    return entries.result();
  }

  #read(line: string, number: number): void {
    const { columns, end } = indentationOf(line);
    if (end === line.length) return;
    const text = line.slice(end);
    const node = this.#found.at(-1);
    if (node !== undefined && `${text} `.startsWith(NOTE_MARK)) {
      node.note.push(text.slice(NOTE_MARK.length));
      return;
    }
    if (!BULLET.test(text)) this.#isBulleted = false;
    this.#found.push({ columns, text: text.trimEnd(), number, note: [] });
  }
}
