import type { NodeKey } from "../core/node-key.ts";
import { markdownOfEntries } from "./markdown-export.ts";
import { opmlOfEntries } from "./opml-export.ts";
import { type EntrySource, entriesInTurn, placedEntries } from "./outline-entries.ts";
import type { OutlineFormat } from "./outline-format.ts";
import { textOfEntries } from "./text-export.ts";

/** The formats but for that of the API, which is made of its answers. */
export type FileFormat = Exclude<OutlineFormat, "json">;

/**
 * A node with what is below it, or all of an outline for `ROOT`, as a file, in pieces that are made as
 * they are taken. Empty ones are pauses: between two pieces others may have their turn, and change the
 * outline, of which is written what was there when the first one was made.
 */
export function exportedPieces(
  source: EntrySource,
  format: FileFormat,
  { from, title }: { readonly from: NodeKey; readonly title: string },
): Generator<string, void> {
  switch (format) {
    case "opml":
      return opmlOfEntries(entriesInTurn(source, from), { title, outline: source.id });
    case "markdown":
      return markdownOfEntries(placedEntries(source, from));
    case "text":
      return textOfEntries(entriesInTurn(source, from));
  }
}
