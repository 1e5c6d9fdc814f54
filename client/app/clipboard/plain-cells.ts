import type { HtmlNode } from "./html-line.ts";

/** Elements that stand on lines of their own even in a row of a table. */
const LINES = new Set(
  "ul ol menu table pre h1 h2 h3 h4 h5 h6 blockquote li details br hr".split(" "),
);
const PARAGRAPHS = new Set(["p", "div"]);

/**
 * Whether each cell of a row holds one short text, as in a table of data. Where cells hold several
 * paragraphs or lists, the table only places them on the page.
 */
export function hasPlainCells(row: HtmlNode): boolean {
  return Array.from(row.childNodes).every((cell) => paragraphsIn(cell) <= 1);
}

/** Those that have no other one in them. */
function paragraphsIn(node: HtmlNode): number {
  let count = 0;
  for (const child of Array.from(node.childNodes)) {
    const tag = child.nodeName.toLowerCase();
    if (LINES.has(tag)) return Infinity;
    count += Math.max(paragraphsIn(child), PARAGRAPHS.has(tag) ? 1 : 0);
  }
  return count;
}
