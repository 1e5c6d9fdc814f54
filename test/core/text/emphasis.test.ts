import fc from "fast-check";
import { Marked } from "marked";
import { expect, test } from "vitest";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import { richTextOfMarkdown } from "../../../src/core/text/markdown.ts";

// Our reader shows the lexer a masked line and puts the styles back on the text; with nothing to
// mask the whole of it must be what the library says on its own.
test("[X3] stars and tildes mean what they mean in CommonMark", () => {
  const marked = new Marked({ gfm: true, async: false });
  const part = fc.constantFrom("*", "**", "***", "~~", "a", "b", " ", ".", "é", "“");
  const lines = fc
    .array(part, { minLength: 1, maxLength: 12 })
    .map((parts) => parts.join("").trim())
    .filter((line) => !/~{3,}/.test(line));
  fc.assert(
    fc.property(lines, (line) => {
      const alone = marked.parseInline(line, { async: false });
      expect(htmlOfRichText(richTextOfMarkdown(line))).toBe(htmlOfRichText(richTextOfHtml(alone)));
    }),
    { numRuns: 2000 },
  );
});
