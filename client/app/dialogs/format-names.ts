import type { OutlineFormat } from "../../../src/formats/outline-format.ts";

/** How a person knows the formats. */
export const FORMATS: Readonly<
  Record<OutlineFormat, { readonly name: string; readonly about: string }>
> = {
  opml: {
    name: "OPML",
    about: "For other outliners. Notes, completion, layouts and times are kept.",
  },
  markdown: {
    name: "Markdown",
    about: "Headings and nested lists, for editors and wikis. Times are not kept.",
  },
  text: {
    name: "Text",
    about: "Plain lines, indented by tabs. Formats and times are not kept.",
  },
  json: {
    name: "JSON",
    about: "Everything there is, as the API exports it: the one for backups and programs.",
  },
};

/** In the order in which they are offered. */
export const FORMAT_CHOICES = (["opml", "markdown", "text", "json"] as const).map(
  (value: OutlineFormat) => ({ value, label: FORMATS[value].name }),
);
