import { type HtmlNode, TEXT_NODE } from "./html-line.ts";

/** Elements that stand on lines of their own even in a row of a table. */
const LINES = new Set("ul ol menu table pre h1 h2 h3 h4 h5 h6 blockquote li details hr".split(" "));
const PARAGRAPHS = new Set(["p", "div"]);
const PARTS = new Set(["thead", "tbody", "tfoot"]);

/**
 * Whether the columns of a table say something: two rows or more have texts in two cells or more, one of
 * them in its first. Other tables may only place things on the page, with cells that make room.
 */
export function isTableOfData(table: HtmlNode): boolean {
  const rows = rowsOf(table)
    .map((row) => cellsOf(row).map(saysSomething))
    .filter((cells) => cells.filter(Boolean).length > 1);
  return rows.length > 1 && rows.some(([first]) => first === true);
}

function rowsOf(table: HtmlNode): readonly HtmlNode[] {
  return Array.from(table.childNodes).flatMap((child) => {
    const tag = child.nodeName.toLowerCase();
    if (PARTS.has(tag)) return rowsOf(child);
    return tag === "tr" ? [child] : [];
  });
}

export function cellsOf(row: HtmlNode): readonly HtmlNode[] {
  return Array.from(row.childNodes).filter(({ nodeName }) => /^t[dh]$/i.test(nodeName));
}

export function saysSomething(node: HtmlNode): boolean {
  if (node.nodeType === TEXT_NODE) return (node.textContent ?? "").trim() !== "";
  return Array.from(node.childNodes).some(saysSomething);
}

/**
 * Whether each cell of a row holds one short text, as in a table of data. Where cells hold several
 * paragraphs or lists, the table only places them on the page.
 * @param isOfData whether a cell may have line breaks
 */
export function hasPlainCells(row: HtmlNode, isOfData: boolean): boolean {
  return Array.from(row.childNodes).every((cell) => paragraphsIn(cell, isOfData) <= 1);
}

/** Those that have no other one in them; two line breaks in a row make one, too. */
function paragraphsIn(node: HtmlNode, isOfData: boolean): number {
  let count = 0;
  let last = "";
  for (const child of Array.from(node.childNodes)) {
    const tag = child.nodeName.toLowerCase();
    if (LINES.has(tag)) return Infinity;
    if (tag === "br" && (!isOfData || last === "br")) return Infinity;
    if (child.nodeType !== TEXT_NODE || saysSomething(child)) last = tag;
    count += Math.max(paragraphsIn(child, isOfData), PARAGRAPHS.has(tag) ? 1 : 0);
  }
  return count;
}
