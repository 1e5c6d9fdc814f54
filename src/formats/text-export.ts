import { richTextOfHtml } from "../core/text/html.ts";
import { plainText } from "../core/text/rich-text.ts";
import type { OutlineEntry } from "./outline-entry.ts";

/**
 * Writes an outline as plain text: a line for each node, indented by tabs, with `[ ]` and `[x]` for
 * todo items and completed nodes, and the lines of a note below it, each behind `> `.
 */
export function* textOfEntries(entries: Iterable<OutlineEntry>): Generator<string, void> {
  for (const entry of entries) {
    const indentation = "\t".repeat(entry.depth);
    const name = plainText(richTextOfHtml(entry.name)).replaceAll("\n", " ").trim();
    yield `${indentation}${boxOf(entry)}${name}`.trimEnd() + "\n";
    if (entry.note === undefined) continue;
    for (const line of plainText(richTextOfHtml(entry.note)).split("\n")) {
      yield `${indentation}\t${`> ${line}`.trimEnd()}\n`;
    }
  }
}

function boxOf(entry: OutlineEntry): string {
  if (entry.completedAt !== undefined) return "[x] ";
  return entry.layout === "todo" ? "[ ] " : "";
}
