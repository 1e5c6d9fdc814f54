import { richTextOfHtml } from "../../../src/core/text/html.ts";
import { type Lines, linesOfName } from "../../../src/core/text/line-break.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";

/**
 * Lines as a mail or a chat shows them: a list with dashes, indented by two spaces, `[ ]` and `[x]` for
 * tasks, notes and the lines of code below what they belong to, and behind a link its address. A single
 * line is only its text.
 */
export function textOfCopied(entries: readonly OutlineEntry[]): string {
  const [first] = entries;
  if (first !== undefined && entries.length === 1) {
    return [nameOf(first), ...notesOf(first)].join("\n");
  }
  return entries
    .flatMap((entry) => {
      const [name = "", ...rest] = [...nameOf(entry).split("\n"), ...notesOf(entry)];
      const indentation = "  ".repeat(entry.depth);
      return [
        `${indentation}- ${boxOf(entry)}${name}`.trimEnd(),
        ...rest.map((line) => `${indentation}  ${line}`.trimEnd()),
      ];
    })
    .join("\n");
}

function nameOf({ name, layout }: OutlineEntry): string {
  return readable(name, linesOfName(layout));
}

function notesOf({ note }: OutlineEntry): readonly string[] {
  return note === undefined ? [] : readable(note).split("\n");
}

function readable(html: string, lines?: Lines): string {
  return richTextOfHtml(html, lines)
    .map((run) => {
      const href = run.attributes?.["a"];
      const isSaid = href === undefined || href === true || href === run.insert;
      return isSaid ? run.insert : `${run.insert} (${href})`;
    })
    .join("")
    .trim();
}

function boxOf({ completedAt, layout }: OutlineEntry): string {
  if (completedAt !== undefined) return "[x] ";
  return layout === "todo" ? "[ ] " : "";
}
