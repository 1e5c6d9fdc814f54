import { beginningOf } from "../core/text/beginning-of.ts";

/** The file formats, each of which is read and written. */
export const OUTLINE_FORMATS = ["json", "opml", "markdown", "text"] as const;

export type OutlineFormat = (typeof OUTLINE_FORMATS)[number];

/** How files of a format are named, and what they are said to be. */
export const FILE_TYPES: Readonly<
  Record<OutlineFormat, { readonly extension: string; readonly type: string }>
> = {
  json: { extension: "json", type: "application/json" },
  opml: { extension: "opml", type: "text/x-opml" },
  markdown: { extension: "md", type: "text/markdown" },
  text: { extension: "txt", type: "text/plain" },
};

const LONGEST_NAME = 60;

/** The name of a file with that title, which every file system takes. */
export function fileNameOf(title: string, format: OutlineFormat): string {
  const name = beginningOf(title.replace(/[^\p{L}\p{M}\p{N} _-]+/gu, "").trim(), LONGEST_NAME);
  return `${name === "" ? "outline" : name}.${FILE_TYPES[format].extension}`;
}

const FORMAT_BY_EXTENSION: ReadonlyMap<string, OutlineFormat> = new Map([
  ["json", "json"],
  ["backup", "json"],
  ["opml", "opml"],
  ["xml", "opml"],
  ["md", "markdown"],
  ["markdown", "markdown"],
  ["txt", "text"],
  ["text", "text"],
]);

export function isOutlineFormat(text: string): text is OutlineFormat {
  return (OUTLINE_FORMATS as readonly string[]).includes(text);
}

/** The format a file's name says; undefined when it says none. */
export function formatOfFileName(name: string): OutlineFormat | undefined {
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return FORMAT_BY_EXTENSION.get(extension);
}
