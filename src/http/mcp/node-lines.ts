import { shownLayout, type Layout, type ShownLayout } from "../../core/node/layout.ts";
import { beginningOf } from "../../core/text/beginning-of.ts";
import { markdownOfRichText } from "../../core/text/markdown.ts";
import { plainText, type RichText, type Run } from "../../core/text/rich-text.ts";
import type { TreeRow } from "../../core/tree/tree-row.ts";
import { fenceOf } from "../../formats/markdown-export.ts";
import type { ScopedOutline } from "../scoped-outline.ts";

const MARKS: Partial<Record<ShownLayout, string>> = {
  todo: "[ ] ",
  h1: "# ",
  h2: "## ",
  h3: "### ",
  "quote-block": "> ",
};
const CUT = "…";
/** To write them takes some 20 ms. */
const MOST_RUNS = 1000;

/**
 * A visible node as lines of markdown without its id: an item of a list, and below it, indented, the
 * lines of code and of the note. Its name is written as the API takes it.
 * @param most characters of its name and of its note; what is longer is cut
 */
export function nodeLines(view: ScopedOutline, row: TreeRow, most: number): readonly string[] {
  const { key } = row;
  const shape = view.shape(key);
  if (shape === undefined) return [];
  if (view.heldBy(key) === undefined) return ["- "];
  const name = cutText(view.outline.richText(key, "name"), most);
  const [first = "", ...others] = linesOfName(name, shape.layout);
  const note = shape.hasNote ? linesOf(cutText(view.outline.richText(key, "note"), most)) : [];
  return [
    `- ${boxOf(shape)}${first}`,
    ...[...others, ...note.map((line) => `> ${line}`)].map((line) => `  ${line}`),
  ];
}

/** The beginning of a text as one line of markdown. */
export function lineOf(text: RichText, most: number): string {
  return markdownOfRichText(cutText(text, most)).replaceAll("\n", " ");
}

function boxOf(node: { readonly layout: Layout; readonly completedAt: number | null }): string {
  const mark = MARKS[shownLayout(node.layout)] ?? "";
  return node.completedAt === null ? mark : `[x] ${mark === "[ ] " ? "" : mark}`;
}

function linesOfName(name: RichText, layout: Layout): readonly string[] {
  if (shownLayout(layout) !== "code-block") return [lineOf(name, Infinity)];
  const code = plainText(name);
  const fence = fenceOf(code);
  return [fence, ...code.split("\n"), fence];
}

function linesOf(text: RichText): readonly string[] {
  return markdownOfRichText(text).split("\n");
}

/** Cut before it is written: that takes longer the longer a text is. */
function cutText(text: RichText, most: number): RichText {
  const runs: Run[] = [];
  let left = most;
  for (const [index, run] of text.entries()) {
    if (index === MOST_RUNS) left = 0;
    if (run.insert.length <= left) runs.push(run);
    else {
      const insert = beginningOf(run.insert, left);
      return [...runs, { ...run, insert }, { insert: CUT }].filter((each) => each.insert !== "");
    }
    left -= run.insert.length;
  }
  return runs;
}
