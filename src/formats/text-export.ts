import { htmlInSteps } from "../core/text/html.ts";
import { plainText } from "../core/text/rich-text.ts";
import { indented } from "./indentation.ts";
import { boxOf } from "./markdown-export.ts";
import type { OutlineEntry } from "./outline-entry.ts";
import { pausing } from "./pausing.ts";

/**
 * Writes an outline as plain text: a line for each node, indented by tabs, with `[ ]` and `[x]` for
 * todo items and completed nodes, and the lines of a note below it, each behind `> `. Empty pieces are
 * pauses, as in the other formats: for an undefined entry, and while a long text is read.
 */
export function* textOfEntries(
  entries: Iterable<OutlineEntry | undefined>,
): Generator<string, void> {
  for (const entry of entries) {
    if (entry === undefined) {
      yield "";
      continue;
    }
    const indentation = indented(entry.depth, "\t");
    const name = (yield* plainIn(entry.name)).replaceAll("\n", " ").trim();
    yield `${indentation}${boxOf(entry)}${name}`.trimEnd() + "\n";
    if (entry.note === undefined) continue;
    for (const line of (yield* plainIn(entry.note)).split("\n")) {
      yield `${indentation}\t${`> ${line}`.trimEnd()}\n`;
    }
  }
}

function* plainIn(html: string): Generator<string, string> {
  return plainText(yield* pausing(htmlInSteps(html), ""));
}
