import { shownLayout, type ShownLayout } from "../core/layout.ts";
import { richTextOfHtml } from "../core/text/html.ts";
import { plainText } from "../core/text/rich-text.ts";
import { markdownOfHtml } from "./markdown-text.ts";
import type { OutlineEntry } from "./outline-entry.ts";
import { sectionsOf } from "./markdown-sections.ts";

const HEADING_MARKS: Partial<Record<ShownLayout, string>> = { h1: "#", h2: "##", h3: "###" };

/**
 * Writes an outline as markdown that our import reads back: headings whose place in the outline a
 * heading of markdown can express, and one nested list below each. Lost are times, ids, the layouts
 * of completed bullets (they become todo items) and of course what markdown does not know.
 */
export function* markdownOfEntries(entries: readonly OutlineEntry[]): Generator<string, void> {
  const sections = sectionsOf(entries);
  /** Sections around the entry; they are not indented. */
  let sectionDepth = 0;
  let isAfterList = false;
  for (const [index, entry] of entries.entries()) {
    const isSection = sections.has(index);
    if (isSection) sectionDepth = entry.depth + 1;
    const startsBlock = index > 0 && (isSection || !isAfterList);
    const indentation = isSection ? "" : "  ".repeat(entry.depth - sectionDepth);
    const lines = isSection ? linesOfSection(entry) : linesOfItem(entry);
    const shown = lines.map((line) => (line === "" ? "" : indentation + line));
    yield `${startsBlock ? "\n" : ""}${shown.join("\n")}\n`;
    isAfterList = !isSection;
  }
}

function linesOfSection(entry: OutlineEntry): string[] {
  return [headingOf(entry), ...notesOf(entry)];
}

function headingOf(entry: OutlineEntry): string {
  return `${HEADING_MARKS[shownLayout(entry.layout)] ?? ""} ${nameOf(entry)}`.trimEnd();
}

function linesOfItem(entry: OutlineEntry): string[] {
  const [first = "", ...others] = linesOfName(entry);
  const lines = [`- ${boxOf(entry)}${first}`.trimEnd()];
  for (const line of [...others, ...notesOf(entry)]) lines.push(line === "" ? "" : `  ${line}`);
  return lines;
}

function boxOf(entry: OutlineEntry): string {
  if (entry.completedAt !== undefined) return "[x] ";
  return entry.layout === "todo" ? "[ ] " : "";
}

function linesOfName(entry: OutlineEntry): string[] {
  switch (shownLayout(entry.layout)) {
    case "h1":
    case "h2":
    case "h3":
      return [headingOf(entry)];
    case "quote-block":
      return [`> ${nameOf(entry)}`.trimEnd(), ...(entry.note === undefined ? [] : [">"])];
    case "code-block": {
      const code = plainText(richTextOfHtml(entry.name));
      const longest = (code.match(/`+/g) ?? []).reduce((max, run) => Math.max(max, run.length), 2);
      const fence = "`".repeat(longest + 1);
      return [fence, ...(code === "" ? [] : code.split("\n")), fence];
    }
    case "bullets":
    case "todo":
      return [nameOf(entry)];
  }
}

function nameOf(entry: OutlineEntry): string {
  const lines = entry.name.split("\n").map((line) => line.trim());
  return markdownOfHtml(lines.join(" ").trim());
}

function notesOf(entry: OutlineEntry): string[] {
  const lines = entry.note?.split("\n") ?? [];
  return lines.map((line) => `> ${markdownOfHtml(line)}`.trimEnd());
}
