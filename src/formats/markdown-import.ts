import { DEFAULT_LAYOUT, type Layout } from "../core/node/layout.ts";
import type { NodeKey } from "../core/node-key.ts";
import { htmlOfRichText } from "../core/text/html-of-rich-text.ts";
import { EntryCollector } from "./entry-collector.ts";
import { FrontMatter } from "./front-matter.ts";
import { indentationOf, withoutIndentation } from "./indentation.ts";
import { LineSplitter } from "./line-splitter.ts";
import { linkedEntries } from "./linked-entries.ts";
import { LogseqText } from "./logseq-text.ts";
import { entryTextsOf, type MarkdownBlock } from "./markdown-block.ts";
import { boxOf, COMMENT, innerLineOf, type MarkdownLine, markdownLineOf } from "./markdown-line.ts";
import type { ImportLimits, OutlineEntry, OutlineReader, ReadResult } from "./outline-entry.ts";

/** An item is inside another when it stands at least so many columns to the right of it. */
const NESTING_COLUMNS = 2;
/** Text so far to the right of where it might begin is code. */
const CODE_COLUMNS = 4;
const HEADING_LAYOUTS: readonly Layout[] = ["h1", "h2", "h3"];
/** As the level of a heading: no other one ends it. */
const FOLDED = 0;
const UNDERLINE = /^(?:(=+)|-+)[ \t]*$/;

/** What a reader of markdown may know of its text beforehand. */
export interface MarkdownSource {
  /** Makes keys for lines that others link to; without it such links stay text. */
  readonly newKey?: () => NodeKey;
  /** It is no file, which might be our own export, so that tasks of Logseq tell that it is one. */
  readonly isPasted?: boolean;
}

/**
 * Reads markdown as an outline: headings are the parents of what follows, list items nest by
 * indentation, every paragraph, quote, table row and code block is a node, and so is a rule (`---`),
 * whose name are its marks. A quote directly below a node (below a quote: what follows its first empty
 * line) is its note. Comments are left out. A list of Logseq is read with its tasks, properties and links.
 */
export class MarkdownImport implements OutlineReader {
  readonly #entries: EntryCollector;
  readonly #limits: ImportLimits;
  readonly #source: MarkdownSource;
  readonly #lines = new LineSplitter((line, number) => this.#hold(line, number));
  /** While all that was read may still turn out to be a list of Logseq. */
  #logseq: LogseqText | undefined = new LogseqText();
  /** The line of each entry. */
  readonly #numbers: number[] = [];
  /** While the file may still turn out to begin with front matter: what was read of it. */
  #front: { readonly matter: FrontMatter; readonly held: string[] } | undefined = {
    matter: new FrontMatter(),
    held: [],
  };
  /** The fields of front matter, until there is a node that they say something about. */
  #fields: readonly string[] = [];
  /** The levels of the headings around the next block, outermost first, with those of what is folded. */
  #headings: number[] = [];
  /** The list items around it: columns before the mark, and before the text of each. */
  #items: { readonly mark: number; readonly content: number }[] = [];
  /** The node under way. */
  #block: MarkdownBlock | undefined;
  #fence: { readonly mark: string; readonly columns: number } | undefined;
  #isInComment = false;
  #isAfterBlank = true;

  constructor(limits: ImportLimits, source: MarkdownSource = {}) {
    this.#limits = limits;
    this.#source = source;
    this.#entries = new EntryCollector(limits);
  }

  push(piece: string): boolean {
    this.#lines.push(piece);
    return !this.#entries.isBroken;
  }

  finish(): ReadResult {
    this.#lines.finish();
    const logseq =
      this.#logseq?.isLogseq(this.#source.isPasted === true) === true ? this.#logseq : undefined;
    if (logseq === undefined) this.#leaveHeld();
    else for (const { line, number } of logseq.markdown()) this.#read(line, number);
    this.#leaveFront();
    this.#close();
    if (this.#fields.length > 0) this.#addFields();
    const result = this.#entries.result();
    return logseq === undefined || result.kind === "broken"
      ? result
      : this.#linked(result.entries, logseq);
  }

  #linked(entries: readonly OutlineEntry[], { idsByLine }: LogseqText): ReadResult {
    const { newKey } = this.#source;
    if (newKey === undefined) return { kind: "read", entries };
    const ids = new Map<number, string>();
    for (const [index, number] of this.#numbers.entries()) {
      const id = idsByLine.get(number);
      if (id !== undefined) ids.set(index, id);
    }
    const { maxTextBytes } = this.#limits;
    return { kind: "read", entries: linkedEntries(entries, ids, newKey, maxTextBytes) };
  }

  #hold(line: string, number: number): void {
    if (this.#logseq === undefined) this.#take(line, number);
    else if (!this.#logseq.take(line)) this.#leaveHeld();
  }

  /** What may have been a list of Logseq is none. */
  #leaveHeld(): void {
    const held = this.#logseq?.lines ?? [];
    this.#logseq = undefined;
    for (const [index, line] of held.entries()) this.#take(line, index + 1);
  }

  #take(line: string, number: number): void {
    if (this.#front === undefined) return this.#read(line, number);
    const { matter, held } = this.#front;
    held.push(line);
    const answer = matter.take(line);
    if (answer === "ended") {
      this.#front = undefined;
      this.#fields = matter.fields;
    } else if (answer === "none") this.#leaveFront();
  }

  /** What looked like front matter is text. */
  #leaveFront(): void {
    const held = this.#front?.held ?? [];
    this.#front = undefined;
    for (const [index, line] of held.entries()) this.#read(line, index + 1);
  }

  /** A file that has no text. */
  #addFields(): void {
    const name = htmlOfFields(this.#fields);
    this.#entries.add({ depth: 0, layout: "code-block", name }, 1);
  }

  #read(line: string, number: number): void {
    if (this.#entries.isBroken) return;
    if (this.#fence !== undefined) return this.#readCode(line, this.#fence);
    if (this.#isInComment) return this.#readComment(line, number);
    const { columns, end } = indentationOf(line);
    if (end < line.length) this.#readText(line, columns, line.slice(end), number);
    else if (this.#block?.form === "indented code") this.#block.text.push("");
    this.#isAfterBlank = end === line.length;
  }

  #readCode(line: string, fence: { readonly mark: string; readonly columns: number }): void {
    const text = line.trim();
    const isClosing = text.startsWith(fence.mark) && new Set(text).size === 1;
    if (isClosing) this.#fence = undefined;
    else this.#block?.text.push(withoutIndentation(line, fence.columns));
  }

  /** @param text what stands behind the beginning of a comment; others may follow it */
  #readComment(text: string, number: number): void {
    let rest = text;
    for (;;) {
      const end = rest.indexOf("-->");
      this.#isInComment = end === -1;
      if (end === -1) return;
      rest = rest.slice(end + "-->".length).trim();
      if (!rest.startsWith(COMMENT)) break;
      rest = rest.slice(COMMENT.length);
    }
    if (rest !== "") this.#readText(rest, 0, rest, number);
  }

  /** @param text the line without its indentation */
  #readText(line: string, columns: number, text: string, number: number): void {
    const codeColumns = (this.#items.at(-1)?.content ?? 0) + CODE_COLUMNS;
    if (this.#block?.form === "indented code" && columns >= codeColumns) {
      this.#block.text.push(withoutIndentation(line, codeColumns));
      return;
    }
    const read = markdownLineOf(text);
    if (read.kind === "fold") return this.#readFold(read, columns, number);
    if (!this.#isAfterBlank && this.#continuesBlock(read, text)) return;
    if (read.kind === "comment") {
      this.#close();
      return this.#readComment(read.text, number);
    }
    if (read.kind === "break") return this.#close();

    this.#leaveItems(columns);
    if (read.kind === "item") this.#openItem(read, columns, number);
    else if (read.kind === "heading" && this.#items.length === 0) {
      this.#openSection(read.level, [read.text], number);
    } else if (
      read.kind === "text" &&
      columns >= (this.#items.at(-1)?.content ?? 0) + CODE_COLUMNS
    ) {
      const code = withoutIndentation(line, (this.#items.at(-1)?.content ?? 0) + CODE_COLUMNS);
      this.#open({ form: "indented code", layout: "code-block", line: number, text: [code] });
    } else this.#openInner(read, { line: number, form: "paragraph" }, columns);
  }

  /** Those that text so far to the right is not in. */
  #leaveItems(columns: number): void {
    while (columns < (this.#items.at(-1)?.mark ?? -Infinity) + NESTING_COLUMNS) this.#items.pop();
  }

  /** What can be folded up is below what is seen of it then. */
  #readFold(
    { isEnd, summary }: Extract<MarkdownLine, { kind: "fold" }>,
    columns: number,
    line: number,
  ): void {
    this.#close();
    this.#leaveItems(columns);
    const begin = isEnd ? this.#headings.lastIndexOf(FOLDED) : -1;
    if (begin !== -1) this.#headings.length = begin;
    if (summary === undefined) return;
    this.#open({ form: "paragraph", line, text: [summary] });
    this.#close();
    this.#headings.push(FOLDED);
  }

  /** Whether the line belongs to the block above it; then it has been taken in. */
  #continuesBlock(read: MarkdownLine, text: string): boolean {
    const block = this.#block;
    if (block === undefined || block.form === "rule") return false;
    if (read.kind === "quote") {
      if (block.form === "quote") block.text.push(read.text);
      else (block.note ??= []).push(read.text);
      return true;
    }
    if (block.note !== undefined) {
      if (read.kind === "text") block.note.push(read.text);
      return read.kind === "text";
    }
    const isTopParagraph = block.form === "paragraph" && this.#items.length === 0;
    const underline = isTopParagraph ? UNDERLINE.exec(text) : null;
    if (underline !== null) {
      this.#block = undefined;
      this.#openSection(underline[1] === undefined ? 2 : 1, block.text, block.line);
      return true;
    }
    const isMore =
      (read.kind === "text" && ["paragraph", "item", "quote"].includes(block.form)) ||
      // A line that happens to begin with a number is no list.
      (read.kind === "item" && !read.isFirst && isTopParagraph);
    if (isMore) block.text.push(text.trim());
    return isMore;
  }

  #openItem(read: Extract<MarkdownLine, { kind: "item" }>, columns: number, line: number): void {
    const box = boxOf(read.text);
    const content = columns + read.width;
    this.#openInner(
      innerLineOf(read.text.slice(box?.length ?? 0)),
      {
        line,
        form: "item",
        ...(box !== undefined && { layout: "todo", isCompleted: box.isDone }),
      },
      content,
    );
    this.#items.push({ mark: columns, content });
  }

  /** A heading that is the parent of what follows it. */
  #openSection(level: number, text: string[], line: number): void {
    this.#close();
    while ((this.#headings.at(-1) ?? 0) >= level) this.#headings.pop();
    this.#open(headingOf(level, text, line));
    this.#headings.push(level);
  }

  #openInner(
    read: Exclude<MarkdownLine, { kind: "item" | "break" | "comment" | "fold" }>,
    block: Pick<MarkdownBlock, "line" | "form"> & Partial<MarkdownBlock>,
    columns: number,
  ): void {
    switch (read.kind) {
      case "fence":
        this.#open({ ...block, form: "fenced code", layout: "code-block" });
        this.#fence = { mark: read.mark, columns };
        break;
      case "heading":
        this.#open({ ...block, ...headingOf(read.level, [read.text], block.line) });
        break;
      case "quote":
        this.#open({ ...block, form: "quote", layout: "quote-block", text: [read.text] });
        break;
      case "row":
      case "rule":
        this.#open({ ...block, form: read.kind, text: [read.text] });
        break;
      case "text":
        this.#open({ ...block, text: [read.text] });
        break;
    }
  }

  #open(block: Pick<MarkdownBlock, "line" | "form"> & Partial<MarkdownBlock>): void {
    this.#close();
    this.#block = {
      depth: this.#headings.length + this.#items.length,
      layout: DEFAULT_LAYOUT,
      isBold: false,
      isCompleted: false,
      text: [],
      note: undefined,
      ...block,
    };
  }

  #close(): void {
    const block = this.#block;
    this.#block = undefined;
    if (block === undefined) return;
    const { depth, layout, isCompleted, line } = block;
    const texts = entryTextsOf(block);
    const fields = this.#fields;
    this.#fields = [];
    this.#numbers.push(line);
    this.#entries.add(
      {
        depth,
        layout,
        ...texts,
        ...(fields.length > 0 && {
          note: [htmlOfFields(fields), ...(texts.note === undefined ? [] : [texts.note])].join(
            "\n",
          ),
        }),
        ...(isCompleted && { completedAt: "unknown" }),
      },
      line,
    );
  }
}

function htmlOfFields(fields: readonly string[]): string {
  return htmlOfRichText([{ insert: fields.join("\n") }]);
}

function headingOf(
  level: number,
  text: string[],
  line: number,
): Pick<MarkdownBlock, "line" | "form"> & Partial<MarkdownBlock> {
  const layout = HEADING_LAYOUTS[level - 1];
  return layout === undefined
    ? { form: "heading", isBold: true, text, line }
    : { form: "heading", layout, text, line };
}
