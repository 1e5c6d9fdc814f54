import type { Layout } from "../core/node/layout.ts";
import { htmlOfRichText } from "../core/text/html-of-rich-text.ts";
import { htmlOfMarkdown } from "./markdown-text.ts";

/** A block of markdown that becomes one node, while its lines are gathered. */
export interface MarkdownBlock {
  readonly form:
    | "paragraph"
    | "item"
    | "quote"
    | "heading"
    | "row"
    | "rule"
    | "fenced code"
    | "indented code";
  readonly depth: number;
  readonly layout: Layout;
  /** For headings of a level that no layout has. */
  readonly isBold: boolean;
  readonly isCompleted: boolean;
  readonly line: number;
  readonly text: string[];
  note: string[] | undefined;
}

/** The name of the block's node, and its note when it has one. */
export function entryTextsOf(block: MarkdownBlock): { name: string; note?: string } {
  const { text, note } = block;
  switch (block.form) {
    case "fenced code":
    case "indented code":
      return {
        name: htmlOfRichText(runOf(withoutTrailingBlanks(block)), "kept"),
        ...noteOf(note),
      };
    case "quote": {
      const blank = text.indexOf("", 1);
      if (blank === -1) return { name: htmlOfLines(text) };
      return { name: htmlOfLines(text.slice(0, blank)), ...noteOf(text.slice(blank + 1)) };
    }
    default: {
      const name = htmlOfLines(text);
      return { name: block.isBold && name !== "" ? `<b>${name}</b>` : name, ...noteOf(note) };
    }
  }
}

function htmlOfLines(lines: readonly string[]): string {
  return htmlOfMarkdown(
    lines
      .map((line) => line.trim())
      .join(" ")
      .trim(),
  );
}

function noteOf(lines: readonly string[] | undefined): { note?: string } {
  const note = lines?.map((line) => htmlOfMarkdown(line)).join("\n") ?? "";
  return note === "" ? {} : { note };
}

function runOf(lines: readonly string[]): { insert: string }[] {
  const code = lines.join("\n");
  return code === "" ? [] : [{ insert: code }];
}

/** Blank lines below indented code are not part of it. */
function withoutTrailingBlanks({ form, text }: MarkdownBlock): readonly string[] {
  if (form === "fenced code") return text;
  return text.slice(0, text.findLastIndex((line) => line !== "") + 1);
}
