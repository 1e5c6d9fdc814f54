/**
 * Names for model-based tests, built from parts whose outcome is known by construction: the model
 * never parses markdown.
 */
export interface ModelWord {
  readonly sent: string;
  /** What it becomes as HTML outside code blocks. */
  readonly stored: string;
}

export const WORDS: readonly ModelWord[] = [
  { sent: "alpha", stored: "alpha" },
  { sent: "beta gamma", stored: "beta gamma" },
  { sent: "**bold** move", stored: "<b>bold</b> move" },
  { sent: "cats & dogs", stored: "cats &amp; dogs" },
  { sent: "1 < 2 > 0", stored: "1 &lt; 2 &gt; 0" },
  { sent: "[site](https://x.example)", stored: '<a href="https://x.example">site</a>' },
  { sent: "naïve 👩‍👩‍👧", stored: "naïve 👩‍👩‍👧" },
];

export interface ModelPrefix {
  readonly sent: string;
  readonly layout?: string;
  readonly completed?: boolean;
}

export const PREFIXES: readonly ModelPrefix[] = [
  { sent: "" },
  { sent: "# ", layout: "h1" },
  { sent: "## ", layout: "h2" },
  { sent: "### ", layout: "h3" },
  { sent: "- ", layout: "bullets" },
  { sent: "- [ ] ", layout: "todo", completed: false },
  { sent: "- [x] ", layout: "todo", completed: true },
  { sent: "> ", layout: "quote-block" },
];

/** A name of several parts; every part after the first has no prefix of its own in an update. */
export interface ModelName {
  readonly parts: readonly { readonly prefix: ModelPrefix; readonly word: ModelWord }[];
}

/** The text that a client sends. */
export function sentName(name: ModelName): string {
  return name.parts.map(({ prefix, word }) => prefix.sent + word.sent).join("\n\n");
}

/** What the whole text becomes in a code block. */
export function literalName(name: ModelName): string {
  return sentName(name).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
