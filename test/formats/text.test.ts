import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { richTextOfHtml } from "../../src/core/text/html.ts";
import { plainText } from "../../src/core/text/rich-text.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";
import { textOfEntries } from "../../src/formats/text-export.ts";
import { TextImport } from "../../src/formats/text-import.ts";
import { readAll } from "./read-outline.ts";

const LIMITS = { maxNodes: 20, maxDepth: 5, maxTextBytes: 100 };

function sketch(text: string): string[] {
  const result = readAll(new TextImport(LIMITS), text, 3);
  if (result.kind === "broken") return [`${result.place}: ${result.reason}`];
  return result.entries.map(
    ({ depth, name, layout, note, completedAt }) =>
      `${depth} ${layout} ${name}|${note ?? ""}|${completedAt ?? ""}`,
  );
}

describe("indented text", () => {
  test("[F6] nests by tabs, by spaces and by both", () => {
    expect(sketch("a\n\tb & <c>\n\t\tc\r\n\td\n\ne\n  f\n    g\n   h\n i\n")).toEqual([
      "0 bullets a||",
      "1 bullets b &amp; &lt;c&gt;||",
      "2 bullets c||",
      "1 bullets d||",
      "0 bullets e||",
      "1 bullets f||",
      "2 bullets g||",
      "2 bullets h||",
      "1 bullets i||",
    ]);
  });

  test("[F6] reads boxes and notes; bullets go when all lines have one", () => {
    expect(sketch("- [ ] a\n  > n1\n  >\n  > n2\n  * [x] b\n• c")).toEqual([
      "0 todo a|n1\n\nn2|",
      "1 todo b||unknown",
      "0 bullets c||",
    ]);
    expect(sketch("- a\nb")).toEqual(["0 bullets - a||", "0 bullets b||"]);
  });

  test("[F2] says line and reason", () => {
    expect(sketch("a\n b\n  c\n   d\n    e\n     f")).toEqual(["line 6: more than 5 levels deep"]);
    expect(sketch("a\n".repeat(21))).toEqual(["line 21: more than 20 nodes"]);
    expect(sketch(`a\n${"é".repeat(51)}`)).toEqual(["line 2: a name of over 100 bytes"]);
  });

  test("[F6] an export is read back, as far as plain text goes", () => {
    const word = fc.stringMatching(/^[a-z&<é][a-z &<é]{0,10}[a-z&<é]$/);
    const node = fc.record({ word, note: fc.option(word, { nil: undefined }), rise: fc.nat(2) });
    fc.assert(
      fc.property(fc.array(node, { maxLength: 10 }), (nodes) => {
        let depth = -1;
        const entries = nodes.map(({ word: text, note, rise }): OutlineEntry => {
          depth = Math.min(3, Math.max(0, depth + 1 - rise));
          const name = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
          const noteHtml = note?.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
          return {
            depth,
            name,
            layout: "bullets",
            ...(noteHtml !== undefined && { note: `${noteHtml}\n${noteHtml}` }),
          };
        });
        const text = [...textOfEntries(entries)].join("");
        const limits = { ...LIMITS, maxTextBytes: 1000 };
        expect(readAll(new TextImport(limits), text)).toEqual({ kind: "read", entries });
      }),
    );
  });

  test("[F6] an export has no markup", () => {
    const entries: OutlineEntry[] = [
      { depth: 0, name: "<b>a</b> &amp; b", layout: "h1", completedAt: 3 },
      { depth: 1, name: "x\ny", layout: "code-block", note: "n" },
    ];
    expect([...textOfEntries(entries)].join("")).toBe("[x] a & b\n\tx y\n\t\t> n\n");
    expect(plainText(richTextOfHtml("a &amp; b"))).toBe("a & b");
  });
});
