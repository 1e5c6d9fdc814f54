/** The file formats, each of which is read and written. */
export const OUTLINE_FORMATS = ["json", "opml", "markdown", "text"] as const;

export type OutlineFormat = (typeof OUTLINE_FORMATS)[number];

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
