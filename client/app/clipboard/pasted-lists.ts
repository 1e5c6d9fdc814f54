import { indentationOf } from "../../../src/formats/indentation.ts";

/** What stands in front of an item, also as word processors and chats write it. */
const BULLET = /^(?:[-*+•◦▪▫‣⁃●○■□·§–]|o(?=[ \t]{2}))[ \t]+(?=\S)/u;
/** Those that nobody begins a sentence with. */
const SURE_BULLET = /^(?:[•◦▪▫‣⁃●○■□]|[-*+] \[[ xX]\])[ \t]/u;
const BOX = /^([☐☑☒✅✓✔])[ \t]*(?=\S)/u;

interface Line {
  readonly source: string;
  readonly columns: number;
  /** Without what is in front of it. */
  readonly text: string;
  readonly isItem: boolean;
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
  return run.map(
    ({ columns, text, isItem }) => " ".repeat(columns + shift) + (isItem ? text : `> ${text}`),
  );
}
