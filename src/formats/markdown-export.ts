import { shownLayout, type ShownLayout } from "../core/node/layout.ts";
import { htmlInSteps } from "../core/text/html.ts";
import { plainText } from "../core/text/rich-text.ts";
import { indented } from "./indentation.ts";
import { markdownOfHtml } from "./markdown-text.ts";
import type { PlacedEntry } from "./outline-entries.ts";
import type { OutlineEntry } from "./outline-entry.ts";
import { pausing } from "./pausing.ts";

const HEADING_MARKS: Partial<Record<ShownLayout, string>> = { h1: "#", h2: "##", h3: "###" };

/** A line without its indentation; undefined is a pause. */
type Line = string | undefined;

/**
 * Writes an outline as markdown that our import reads back: headings whose place in the outline a
 * heading of markdown can express, and one nested list below each. Lost are times, ids, the layouts
 * of completed bullets (they become todo items) and of course what markdown does not know.
 */
export function* markdownOfEntries(
  entries: Iterable<PlacedEntry | undefined>,
): Generator<string, void> {
  /** Sections around the entry; they are not indented. */
  let sectionDepth = 0;
  let isAfterList = false;
  let isFirst = true;
  for (const placed of entries) {
    if (placed === undefined) {
      yield "";
      continue;
    }
    const { entry, heading } = placed;
    if (heading !== undefined) sectionDepth = entry.depth + 1;
    const startsBlock = !isFirst && (heading !== undefined || !isAfterList);
    const indentation = heading === undefined ? indented(entry.depth - sectionDepth, "  ") : "";
    const lines = heading === undefined ? linesOfItem(entry) : linesOfSection(entry, heading);
    let before = startsBlock ? "\n" : "";
    for (const line of lines) {
      if (line === undefined) yield "";
      else {
        yield `${before}${line === "" ? "" : indentation + line}\n`;
        before = "";
      }
    }
    isAfterList = heading === undefined;
    isFirst = false;
  }
}

function* linesOfSection(entry: OutlineEntry, level: number): Generator<Line> {
  yield `${"#".repeat(level)} ${yield* nameOf(entry)}`.trimEnd();
  yield* notesOf(entry);
}

function* linesOfItem(entry: OutlineEntry): Generator<Line> {
  let isFirst = true;
  for (const line of linesBelowMark(entry)) {
    if (line === undefined) yield undefined;
    else if (isFirst) yield `- ${boxOf(entry)}${line}`.trimEnd();
    else yield line === "" ? "" : `  ${line}`;
    if (line !== undefined) isFirst = false;
  }
}

function* linesBelowMark(entry: OutlineEntry): Generator<Line> {
  yield* linesOfName(entry);
  yield* notesOf(entry);
}

/** The box of a todo item and of what is completed, with the space behind it. */
export function boxOf(entry: OutlineEntry): string {
  if (entry.completedAt !== undefined) return "[x] ";
  return entry.layout === "todo" ? "[ ] " : "";
}

function* linesOfName(entry: OutlineEntry): Generator<Line> {
  const layout = shownLayout(entry.layout);
  switch (layout) {
    case "h1":
    case "h2":
    case "h3":
      yield `${HEADING_MARKS[layout] ?? ""} ${yield* nameOf(entry)}`.trimEnd();
      break;
    case "quote-block":
      yield `> ${yield* nameOf(entry)}`.trimEnd();
      if (entry.note !== undefined) yield ">";
      break;
    case "code-block": {
      const code = plainText(yield* pausing(htmlInSteps(entry.name, "code"), undefined));
      const fence = fenceOf(code);
      yield fence;
      if (code !== "") yield* code.split("\n");
      yield fence;
      break;
    }
    case "bullets":
    case "todo":
      yield yield* nameOf(entry);
  }
}

/** Backticks around code, more of them than there are together in it. */
export function fenceOf(code: string): string {
  const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  return "`".repeat(longest + 1);
}

function* nameOf(entry: OutlineEntry): Generator<undefined, string> {
  const lines = entry.name.split("\n").map((line) => line.trim());
  return yield* pausing(markdownOfHtml(lines.join(" ").trim()), undefined);
}

function* notesOf(entry: OutlineEntry): Generator<Line> {
  if (entry.note === undefined) return;
  for (const line of entry.note.split("\n")) {
    yield `> ${yield* pausing(markdownOfHtml(line), undefined)}`.trimEnd();
  }
}
