/** Tasks as Logseq writes them in front of a block. */
const TASK = /^([ \t]*- )(TODO|DOING|NOW|LATER|WAITING|IN-PROGRESS|DONE|CANCELED|CANCELLED) (?=\S)/;
const DONE = new Set(["DONE", "CANCELED", "CANCELLED"]);
/** A property: of a block a line of its own below the first, of a page one above all blocks. */
const PROPERTY = /^[ \t]*([a-z][a-z0-9_.-]*)::(?: (.*))?$/i;
/** Properties that say how Logseq shows the block, or what it calls it. */
const OF_ITS_OWN = new Set(["collapsed", "id", "logseq.order-list-type"]);
const ITEM = /^([ \t]*)-(?: |$)/;
const FENCE = /^[ \t]*(?:- )?(`{3,}|~{3,})/;
/** When a task is planned or due, and how often it comes again. */
const PLANNED =
  /^(SCHEDULED|DEADLINE): <(\d{4}-\d\d-\d\d) [^\s<>]+(?: (\d\d:\d\d))?(?: ([^<>]+))?>$/;
/** A link with words of its own to a page or a block: these would go with an address that is none. */
const LABELLED = /\[([^[\]\n]+)\]\((\[\[[^[\]\n]+\]\]|\(\([^()\n]+\)\))\)/g;

/** A line of markdown, and which line of the text it was, from 1. */
interface NumberedLine {
  readonly line: string;
  readonly number: number;
}

/**
 * A text that may turn out to be a list as Logseq keeps and copies it, taken line by line: nothing but
 * blocks with what belongs to them, and in it marks of Logseq's own.
 */
export class LogseqText {
  readonly lines: string[] = [];
  /** By the line of a block the id that others name it by, once {@link markdown} has been read. */
  readonly idsByLine = new Map<number, string>();
  #fence: string | undefined;
  #hasBlock = false;
  #hasTab = false;
  #hasTask = false;
  #hasProperty = false;

  /** Takes the next line. False when the text is no such list after all. */
  take(line: string): boolean {
    this.lines.push(line);
    if (line.trim() === "") return true;
    const isInCode = this.#fence !== undefined;
    this.#fence = fenceAfter(line, this.#fence);
    const isProperty = !isInCode && PROPERTY.test(line);
    const isBlock = !isInCode && ITEM.test(line);
    if (isProperty) this.#hasProperty = true;
    if (!this.#hasBlock) {
      this.#hasBlock = isBlock;
      return isBlock ? this.#takeBlock(line) : isProperty;
    }
    return isBlock ? this.#takeBlock(line) : /^[ \t]/.test(line);
  }

  /** Whether it has marks of Logseq. Tasks tell by themselves only where nothing of ours is read. */
  isLogseq(isPasted: boolean): boolean {
    if (!this.#hasBlock) return false;
    return this.#hasProperty || (this.#hasTask && (isPasted || this.#hasTab));
  }

  #takeBlock(line: string): boolean {
    if (TASK.test(line)) this.#hasTask = true;
    if (line.startsWith("\t")) this.#hasTab = true;
    return true;
  }

  /**
   * The same as a list in markdown: tasks become boxes, code stays code, and the other lines of a block
   * are its note, as are the properties of the page of its first one. How blocks are shown is left out,
   * and the log of their times.
   */
  *markdown(): Generator<NumberedLine> {
    let page: NumberedLine[] = [];
    let indentation = "";
    let block = 0;
    let isInLog = false;
    let fence: string | undefined;
    for (const [index, line] of this.lines.entries()) {
      const number = index + 1;
      const words = line.trim();
      const fenceBefore = fence;
      if (!isInLog) fence = fenceAfter(line, fence);
      if (fenceBefore !== undefined) yield { line, number };
      else if (words === ":LOGBOOK:") isInLog = true;
      else if (isInLog) isInLog = words !== ":END:";
      else if (ITEM.test(line)) {
        block = number;
        indentation = `${ITEM.exec(line)?.[1] ?? ""}  `;
        yield { line: withBox(line).replaceAll(LABELLED, "$1 ($2)"), number };
        yield* page.map((each) => ({ ...each, line: indentation + each.line }));
        page = [];
      } else if (fence !== undefined) yield { line, number };
      else if (words !== "") {
        const [, property = "", value = ""] = PROPERTY.exec(line) ?? [];
        const name = property.toLowerCase();
        if (name === "id") this.idsByLine.set(block, value.trim());
        if (OF_ITS_OWN.has(name)) continue;
        const note = `> ${withDate(words).replaceAll(LABELLED, "$1 ($2)")}`;
        if (block === 0) page.push({ line: note, number });
        else yield { line: indentation + note, number };
      }
    }
  }
}

/** Whether a pasted text is such a list. */
export function isLogseq(text: string): boolean {
  const read = new LogseqText();
  return text.split("\n").every((line) => read.take(line)) && read.isLogseq(true);
}

/** The mark of the code that goes on behind a line. */
function fenceAfter(line: string, before: string | undefined): string | undefined {
  if (before === undefined) return FENCE.exec(line)?.[1];
  const text = line.trim();
  return text.startsWith(before) && new Set(text).size === 1 ? undefined : before;
}

function withBox(line: string): string {
  return line.replace(
    TASK,
    (_, mark: string, task: string) => `${mark}[${DONE.has(task) ? "x" : " "}] `,
  );
}

function withDate(line: string): string {
  return line.replace(
    PLANNED,
    (_, what: string, day: string, time: string | undefined, repeat: string | undefined) =>
      `${what}: [${day}${time === undefined ? "" : ` ${time}`}]${repeat === undefined ? "" : ` (${repeat})`}`,
  );
}
