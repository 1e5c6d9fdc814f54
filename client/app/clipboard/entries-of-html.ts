import { DEFAULT_LAYOUT, type Layout } from "../../../src/core/node/layout.ts";
import { tabsOfName } from "../../../src/core/text/clean-text.ts";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { type Formats, type RichText, RunBuilder } from "../../../src/core/text/rich-text.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";
import {
  ELEMENT_NODE,
  formatsInside,
  type HtmlNode,
  STYLE_ATTRIBUTE,
  TEXT_NODE,
} from "./html-line.ts";
import { pictureOf } from "./pictures.ts";
import { cellsOf, hasPlainCells, isTableOfData, saysSomething } from "./plain-cells.ts";
import { isUnseen, withoutUnseenEnds } from "./unseen.ts";

/** Elements that stand on lines of their own. */
const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body caption center dd dialog div dl dt fieldset " +
    "figcaption figure footer form header hgroup hr html legend main nav p section summary table " +
    "tbody tfoot thead tr"
  ).split(" "),
);

interface Context {
  readonly formats: Formats;
  readonly layout: Layout;
  /** Levels that lists and their items add. */
  readonly depth: number;
  readonly isPre: boolean;
  /** Each space and line break of a text is shown. */
  readonly isSpaced?: boolean;
  readonly isOfData?: boolean;
  /** In a row of a table: what is in a cell stays on its line. */
  readonly isInRow?: boolean;
  /** Behind a cell that has its column, also when it is empty. */
  readonly isBehindCell?: boolean;
}

/** A box in front of the text of an item, as some programs write it as text. */
const BOX = /^(?:\[([ xX]?)\]|([☐☑☒]))[ \u00a0]+/u;
const EVERNOTE_BOX = /--en-checked:\s*(true|false)/i;
const WORD_ITEM = /mso-list:[^;]*\blevel([1-9])/i;
const WHITE_SPACE = /(?:^|[;\s])white-space(?:-collapse)?:\s*([a-z-]+)/i;
const WORD_BULLET = /mso-list:\s*ignore/i;

/**
 * Reads the tree of a pasted page: lists nest, headings are the parents of what follows, paragraphs,
 * rules and rows of tables are lines. Only what is known here has a meaning; of everything else the text
 * stays. A parser nests at most some hundred levels, so this may recurse.
 */
export function entriesOfHtml(root: HtmlNode): readonly OutlineEntry[] {
  const walk = new HtmlWalk();
  walk.inside(root, { formats: {}, layout: DEFAULT_LAYOUT, depth: 0, isPre: false });
  return walk.finish();
}

/** What a style says of the spaces of a text, and what holds around it. */
function isSpacedInside(style: string, around = false): boolean {
  const said = WHITE_SPACE.exec(style)?.[1];
  return said === undefined ? around : /^(?:pre|pre-wrap|break-spaces|preserve)$/i.test(said);
}

class HtmlWalk {
  readonly #entries: OutlineEntry[] = [];
  #runs = new RunBuilder();
  #hasText = false;
  #endsInSpace = true;
  /** How the line under way is shown. */
  #line: { depth: number; layout: Layout } = { depth: 0, layout: DEFAULT_LAYOUT };
  #isTodo = false;
  #isDone = false;
  /** Levels of the headings around the next line. */
  #headings: number[] = [];
  /** Counts of texts that say something, and of pictures of which nothing is said. */
  #said = 0;
  #wordless = 0;
  /** The item under way has its first line: what follows in it is below that. */
  #itemHasLine = false;

  inside(node: HtmlNode, context: Context): void {
    for (const child of Array.from(node.childNodes)) this.#take(child, context);
  }

  finish(): readonly OutlineEntry[] {
    this.#endLine();
    return this.#entries;
  }

  #take(node: HtmlNode, context: Context): void {
    if (node.nodeType === TEXT_NODE) this.#addText(node.textContent ?? "", context);
    else if (node.nodeType === ELEMENT_NODE) this.#takeElement(node, context);
  }

  #takeElement(element: HtmlNode, context: Context): void {
    const tag = element.nodeName.toLowerCase();
    if (isUnseen(element, tag)) return;
    const style = element.getAttribute?.(STYLE_ATTRIBUTE) ?? "";
    if (WORD_BULLET.test(style)) return;
    const formats = formatsInside(element, tag, context.formats);
    const inner = { ...context, formats, isSpaced: isSpacedInside(style, context.isSpaced) };
    if (element.getAttribute?.("role") === "checkbox") {
      // The line before it is not what is done.
      if (BLOCKS.has(tag)) this.#endLine();
      this.#makeTodo(element.getAttribute("aria-checked") === "true");
    }
    const level = WORD_ITEM.exec(style)?.[1];
    if (level !== undefined) {
      return this.#takeItem(element, { ...inner, depth: context.depth + Number(level) });
    }
    if (/^h[1-6]$/.test(tag)) return this.#takeHeading(element, Number(tag.charAt(1)), inner);
    switch (tag) {
      case "br":
        if (context.isPre) this.#addText("\n", context);
        else if (context.isInRow === true) this.#addText(" ", { ...context, isSpaced: false });
        else this.#endLine();
        return;
      case "hr":
        return this.#takeRule(inner);
      case "ul":
      case "ol":
      case "menu":
        return this.#takeList(element, inner);
      case "details":
        // What it shows at first is the parent of the rest.
        return this.#takeItem(element, context.depth > 0 ? inner : { ...inner, depth: 1 });
      case "pre":
        return this.#takeCode(element, inner);
      case "table":
        this.#endLine();
        this.inside(element, { ...inner, isOfData: isTableOfData(element) });
        return this.#endLine();
      case "tr":
        return this.#takeRow(element, inner);
      case "td":
      case "th":
        if (this.#hasText || context.isBehindCell === true) {
          this.#addText(this.#endsInSpace ? "| " : " | ", { ...context, isPre: true });
        }
        return this.inside(element, { ...inner, isBehindCell: false });
      case "img":
        return this.#takePicture(element, inner);
      case "a":
        return this.#takeLink(element, inner);
      case "input":
        if (element.getAttribute?.("type")?.toLowerCase() === "checkbox") {
          this.#makeTodo(typeof element.getAttribute?.("checked") === "string");
        }
        return;
      default:
        break;
    }
    if (!BLOCKS.has(tag) || inner.isInRow === true) return this.inside(element, inner);
    this.#endLine();
    const isQuote = tag === "blockquote";
    this.inside(element, isQuote ? { ...inner, layout: "quote-block" } : inner);
    this.#endLine();
  }

  #takeRow(row: HtmlNode, context: Context): void {
    this.#endLine();
    const { isOfData = false } = context;
    const isInRow = hasPlainCells(row, isOfData);
    const keepsColumns = isInRow && isOfData && saysSomething(row);
    const [first] = cellsOf(row);
    for (const child of Array.from(row.childNodes)) {
      this.#take(child, { ...context, isInRow, isBehindCell: keepsColumns && child !== first });
    }
    this.#endLine();
  }

  /** A picture is a link to it; in a link it is what it shows. */
  #takePicture(element: HtmlNode, context: Context): void {
    const picture = pictureOf(element);
    if (picture === undefined) return;
    const { text, href } = picture;
    if (text === "") this.#wordless += 1;
    if (href === undefined || context.formats["a"] !== undefined) {
      return this.#addText(text, context);
    }
    const formats = { ...context.formats, a: href };
    this.#addText(text === "" ? href : text, { ...context, formats });
  }

  /** What shows pictures without words and nothing else says where it leads. */
  #takeLink(element: HtmlNode, context: Context): void {
    const said = this.#said;
    const wordless = this.#wordless;
    this.inside(element, context);
    const { a } = context.formats;
    const isUnsaid = this.#said === said && this.#wordless > wordless;
    if (isUnsaid && typeof a === "string") this.#addText(a, context);
  }

  /** A rule is a line of its own, as it is in markdown. */
  #takeRule(context: Context): void {
    this.#endLine();
    this.#addText("---", { ...context, formats: {}, layout: DEFAULT_LAYOUT });
    this.#endLine();
  }

  #takeHeading(element: HtmlNode, level: number, context: Context): void {
    this.#endLine();
    const isOutside = context.depth === 0;
    if (isOutside) {
      while ((this.#headings.at(-1) ?? 0) >= level) this.#headings.pop();
    }
    const layout = (["h1", "h2", "h3"] as const)[level - 1];
    const formats =
      layout === undefined ? { ...context.formats, b: true as const } : context.formats;
    this.inside(element, { ...context, layout: layout ?? context.layout, formats });
    this.#endLine();
    if (isOutside) this.#headings.push(level);
  }

  #takeList(list: HtmlNode, context: Context): void {
    this.#endLine();
    // A list right in a list belongs to the item before it. Slack's stand one behind the other.
    const indent = list.getAttribute?.("data-indent") ?? "";
    const depth = context.depth + 1 + (/^\d$/.test(indent) ? Number(indent) : 0);
    for (const child of Array.from(list.childNodes)) {
      if (child.nodeName.toLowerCase() === "li") this.#takeItem(child, { ...context, depth });
      else this.#take(child, { ...context, depth });
    }
    this.#endLine();
  }

  #takeItem(item: HtmlNode, context: Context): void {
    this.#endLine();
    if (isUnseen(item, "li")) return;
    const outer = this.#itemHasLine;
    this.#itemHasLine = false;
    const formats = formatsInside(item, "li", context.formats);
    if (item.getAttribute?.("role") === "checkbox") {
      this.#makeTodo(item.getAttribute("aria-checked") === "true");
    }
    const checked = EVERNOTE_BOX.exec(item.getAttribute?.(STYLE_ATTRIBUTE) ?? "")?.[1];
    if (checked !== undefined) this.#makeTodo(checked === "true");
    this.inside(item, { ...context, formats, layout: DEFAULT_LAYOUT });
    this.#endLine();
    this.#itemHasLine = outer;
  }

  /** Code keeps its lines. */
  #takeCode(element: HtmlNode, context: Context): void {
    this.#endLine();
    this.inside(element, { ...context, formats: {}, isPre: true, layout: "code-block" });
    this.#endLine();
  }

  #addText(source: string, context: Context): void {
    if (context.isSpaced === true && !context.isPre) return this.#addSpaced(source, context);
    this.#addAsShown(source, context);
  }

  #addSpaced(source: string, context: Context): void {
    for (const [index, line] of source.split(/\r\n?|\n/).entries()) {
      if (index > 0 && context.isInRow === true) this.#addAsShown(" ", context);
      else if (index > 0) this.#endLine();
      this.#addAsShown(this.#hasText ? line : line.trimStart(), { ...context, isPre: true });
    }
  }

  #addAsShown(source: string, context: Context): void {
    const text = context.isPre ? source.replaceAll(/\r\n?/g, "\n") : this.#collapsed(source);
    if (text === "") return;
    if (text.trim() !== "") this.#said += 1;
    if (!this.#hasText) {
      const extra = context.depth > 0 ? context.depth - 1 + (this.#itemHasLine ? 1 : 0) : 0;
      this.#line = { depth: this.#headings.length + extra, layout: context.layout };
      this.#hasText = true;
      if (context.depth > 0) this.#itemHasLine = true;
    }
    this.#runs.add(text, context.isPre && context.layout === "code-block" ? {} : context.formats);
    this.#endsInSpace = /[ \n]$/.test(text);
  }

  /** White space between words is one space, and none at the start of a line. */
  #collapsed(source: string): string {
    const text = source.replaceAll(/[ \t\n\r\f]+/g, " ");
    return this.#endsInSpace && text.startsWith(" ") ? text.slice(1) : text;
  }

  /** A box that is written as text in front of an item makes it a task. */
  #withoutBox(text: RichText): RichText {
    const [first, ...others] = text;
    const box = this.#itemHasLine && first !== undefined ? BOX.exec(first.insert) : null;
    if (box === null || first === undefined) return text;
    this.#makeTodo(/[xX☑☒]/u.test(box[0]));
    const rest = first.insert.slice(box[0].length);
    return rest === "" ? others : [{ ...first, insert: rest }, ...others];
  }

  #makeTodo(isDone: boolean): void {
    this.#isTodo = true;
    this.#isDone = isDone;
  }

  #endLine(): void {
    const { layout, depth } = this.#line;
    const runs = this.#runs.finish();
    const isCode = layout === "code-block";
    const text = isCode ? runs : this.#withoutBox(withoutUnseenEnds(runs));
    if (this.#hasText && text.length > 0) {
      const html = htmlOfRichText(text, tabsOfName(layout));
      this.#entries.push({
        depth: Math.min(depth, (this.#entries.at(-1)?.depth ?? -1) + 1),
        name: isCode ? html.replace(/\n$/, "") : html,
        layout: this.#isTodo && layout === DEFAULT_LAYOUT ? "todo" : layout,
        ...(this.#isDone && { completedAt: "unknown" as const }),
      });
      this.#isTodo = false;
      this.#isDone = false;
    }
    this.#runs = new RunBuilder();
    this.#hasText = false;
    this.#endsInSpace = true;
  }
}
