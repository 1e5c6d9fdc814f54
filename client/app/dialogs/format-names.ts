import type { OutlineFormat } from "../../../src/formats/outline-format.ts";

/** How a person knows the formats. */
export const FORMATS: Readonly<
  Record<
    OutlineFormat,
    {
      readonly name: string;
      readonly about: string;
      readonly extension: string;
      readonly type: string;
    }
  >
> = {
  opml: {
    name: "OPML",
    about: "For other outliners. Notes, completion, layouts and times are kept.",
    extension: "opml",
    type: "text/x-opml",
  },
  markdown: {
    name: "Markdown",
    about: "Headings and nested lists, for editors and wikis. Times are not kept.",
    extension: "md",
    type: "text/markdown",
  },
  text: {
    name: "Text",
    about: "A line for each node, indented by tabs. Formats and times are not kept.",
    extension: "txt",
    type: "text/plain",
  },
  json: {
    name: "JSON",
    about: "Everything there is, as the API exports it: the one for backups and programs.",
    extension: "json",
    type: "application/json",
  },
};

/** In the order in which they are offered. */
export const OFFERED_FORMATS: readonly OutlineFormat[] = ["opml", "markdown", "text", "json"];
