import { JsonImport } from "./json-import.ts";
import { MarkdownImport, type MarkdownSource } from "./markdown-import.ts";
import { OpmlImport } from "./opml-import.ts";
import type { ImportLimits, OutlineReader } from "./outline-entry.ts";
import type { OutlineFormat } from "./outline-format.ts";
import { TextImport } from "./text-import.ts";

/** A reader for one file of that format. */
export function readerOf(
  format: OutlineFormat,
  limits: ImportLimits,
  source?: MarkdownSource,
): OutlineReader {
  switch (format) {
    case "json":
      return new JsonImport(limits);
    case "opml":
      return new OpmlImport(limits);
    case "markdown":
      return new MarkdownImport(limits, source);
    case "text":
      return new TextImport(limits);
  }
}
