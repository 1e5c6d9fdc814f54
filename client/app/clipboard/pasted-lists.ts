import { indentationOf } from "../../../src/formats/indentation.ts";

/** What stands in front of an item, also as word processors and chats write it. */
const BULLET = /^(?:[-*+•◦▪▫‣⁃●○■□·§–]|o(?=\t|[ \t]{2}))[ \t]+(?=\S)/u;
/** Those that nobody begins a sentence with. */
const SURE_BULLET = /^(?:[•◦▪▫‣⁃●○■□]|[-*+] \[[ xX]\])[ \t]/u;
/** The signs of the levels of a list, the outermost first; the last ones stand for any level below. */
const LEVEL_SIGNS = ["•●·", "◦○o", "▪■▫□§", "-*+‣⁃–"] as const;
/** Where a list has none of these, its dashes and stars say no level. */
const TELLING_SIGNS = LEVEL_SIGNS.slice(0, 3).join("");
const BOX = /^([☐☑☒✅✓✔])[ \t]*(?=\S)/u;
/** Below an item it is one as well. The number stays: it is no sign. */
const NUMBERED = /^\d{1,9}[.)][ \t]+\S/;

interface Line {
  readonly source: string;
  readonly columns: number;
  /** Without what is in front of it. */
  readonly text: string;
  readonly isItem: boolean;
  /** The sign in front of it; empty for a box alone and for what is no item. */
  readonly sign: string;
  readonly isSure: boolean;
}

/**
 * Lists in a text that is not all list, as in mails and chats, as indented lines: the bullets go, items
 * stand below the line that leads to them, and what continues an item is its note. A single dash in
 * front of a line makes no list.
 */
export function withListsIndented(text: string): string {
  const result: string[] = [];
  /** Lines that may be a list. */
  let run: Line[] = [];
  /** The line before them, when nothing stands between or it announces something. */
  let lead: Line | undefined;
  for (const source of text.split("\n")) {
    const line = readLine(source);
    if (line === undefined) {
      if (run.length === 0 && lead?.text.endsWith(":") !== true) lead = undefined;
    } else if (line.isItem || continues(line, run)) run.push(line);
    else {
      result.push(...linesOf(run, lead), source);
      run = [];
      lead = line;
    }
  }
  return [...result, ...linesOf(run, lead)].join("\n");
}

function readLine(source: string): Line | undefined {
  const { columns, end } = indentationOf(source);
  const text = source.slice(end).trimEnd();
  if (text === "") return undefined;
  const bullet = BULLET.exec(text)?.[0] ?? "";
  const rest = text.slice(bullet.length);
  const box = BOX.exec(rest);
  return {
    source,
    columns,
    text: box === null ? rest : `[${box[1] === "☐" ? " " : "x"}] ${rest.slice(box[0].length)}`,
    isItem: bullet !== "" || box !== null,
    sign: bullet.trim(),
    isSure: SURE_BULLET.test(text) || box !== null,
  };
}

/** Whether it is indented below the item before it. */
function continues({ columns }: Line, run: readonly Line[]): boolean {
  const item = run.findLast(({ isItem }) => isItem);
  return item !== undefined && columns > item.columns;
}

function linesOf(run: readonly Line[], lead: Line | undefined): readonly string[] {
  const items = run.filter(({ isItem }) => isItem);
  const [first] = items;
  if (first === undefined) return [];
  const isAnnounced = lead?.text.endsWith(":") === true;
  const isList = items.length > 1 || isAnnounced || items.some(({ isSure }) => isSure);
  if (!isList) return run.map(({ source }) => source);
  const shift = lead !== undefined && first.columns >= lead.columns ? 1 : 0;
  const levels = levelsBySign(items);
  return run.map(({ columns, text, isItem, sign }) => {
    const indentation = " ".repeat(columns + shift + (levels?.indexOf(levelOf(sign)) ?? 0));
    return indentation + (isItem || NUMBERED.test(text) ? text : `> ${text}`);
  });
}

/**
 * Where nothing is indented, the signs alone may say the levels, as in text that a word processor or a
 * mail has flattened: those that a list has, the outermost first. Undefined where they say nothing.
 */
function levelsBySign(items: readonly Line[]): readonly number[] | undefined {
  const isFlat = new Set(items.map(({ columns }) => columns)).size === 1;
  const signs = new Set(items.map(({ sign }) => sign));
  const isTelling = [...signs].some((sign) => sign !== "" && TELLING_SIGNS.includes(sign));
  if (!isFlat || !isTelling || signs.has("")) return undefined;
  return [...new Set(Array.from(signs, levelOf))].toSorted((a, b) => a - b);
}

function levelOf(sign: string): number {
  return LEVEL_SIGNS.findIndex((signs) => signs.includes(sign));
}
