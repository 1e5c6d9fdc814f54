import fc from "fast-check";
import { expect, test } from "vitest";
import { inOneGo } from "../../src/core/in-one-go.ts";
import { ROOT } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { Planter } from "../../src/core/calendar/planter.ts";
import { type EntrySource, placedEntries } from "../../src/formats/outline-entries.ts";
import { exportedPieces } from "../../src/formats/exported-pieces.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";
import { MarkdownImport } from "../../src/formats/markdown-import.ts";
import { seedlingOfEntry } from "../../src/formats/seedling-of-entry.ts";
import { soloOutline } from "../support/lab.ts";
import { plant, keyOf } from "../support/outline-notation.ts";
import { arbitraryEntries } from "./arbitrary-entries.ts";
import { entriesOf } from "./entries-of.ts";
import { placed } from "./placed.ts";
import { readAll } from "./read-outline.ts";

const LIMITS = { maxNodes: 1000, maxDepth: 100, maxTextBytes: 10_000_000 };
const TITLE = { from: ROOT, title: "t" };

function outlineWith(entries: readonly OutlineEntry[]): Outline {
  const outline = soloOutline();
  const planter = new Planter(outline, { parent: ROOT, position: "bottom" });
  for (const entry of entries) planter.add(inOneGo(seedlingOfEntry(outline, entry, new Map())));
  inOneGo(planter.finish());
  return outline;
}

function textOf(pieces: Iterable<string>): string {
  return [...pieces].join("");
}

test("[F10] what may stand as a heading is found on the way as it is in the whole list", () => {
  let headings = 0;
  fc.assert(
    fc.property(arbitraryEntries, (entries) => {
      const outline = outlineWith(entries);
      const found = [...placedEntries(outline, ROOT)].filter((each) => each !== undefined);
      const expected = placed(entriesOf(outline));
      headings += expected.filter(({ heading }) => heading !== undefined).length;
      expect(found).toEqual(expected);
    }),
    { numRuns: 300 },
  );
  expect(headings).toBeGreaterThan(30);
});

test("[F10] headings stay where they can stand when others change while a file is written", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a b(c d) e");
  for (const name of ["b", "e"]) outline.update(keyOf(keys, name), { layout: "h1" });
  outline.update(keyOf(keys, "d"), { layout: "h2" });
  const whole = textOf(exportedPieces(outline, "markdown", TITLE));
  const pieces = exportedPieces(outline, "markdown", TITLE);
  let text = "";
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
    if (text === "" && next.value !== "") {
      outline.update(keyOf(keys, "e"), { layout: "bullets" });
      outline.move(keyOf(keys, "c"), { parent: keyOf(keys, "a") });
      outline.remove(keyOf(keys, "d"));
    }
    text += next.value;
  }
  expect(text).toBe(whole);
  expect(text).toContain("# e");
});

test("[F10] a node that has left meanwhile is an empty line in its place", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a(b(c)) d");
  const source: EntrySource = {
    id: outline.id,
    rowsFrom: (key) => outline.rowsFrom(key),
    headOf: (row) => outline.headOf(row),
    nodeInPieces: (place) =>
      place.row.key === keyOf(keys, "b") ? undefined : outline.nodeInPieces(place),
  };
  expect(textOf(exportedPieces(source, "text", TITLE))).toBe("a\n\n\t\tc\nd\n");
  expect(textOf(exportedPieces(source, "opml", TITLE))).toContain('text="c"');
});

/** A line that is full of all that means something in markdown, some of it formatted. */
function fullOfMarks(parts: number): string {
  let html = "";
  for (let part = 0; part < parts; part += 1) {
    html += `a*b\`c[d](e)~~f\\g_h &lt;b&gt; &amp;amp; &copy; # <b>x${part}*</b>`;
    html += `<a href="https://example.org/${part}*_\\~">l</a> https://example.org/*a* `;
  }
  return `- ${html}#`;
}

test("[F5] a line that is full of marks is read back as it was, soon", () => {
  for (const parts of [1, 10, 60, 2000]) {
    const name = fullOfMarks(parts);
    const outline = outlineWith([
      { depth: 0, layout: "bullets", name },
      { depth: 1, layout: "h2", name: "## x", note: `${name}\n\n${name}` },
    ]);
    const [first, second] = entriesOf(outline);
    const pieces = [...exportedPieces(outline, "markdown", TITLE)];
    const read = readAll(new MarkdownImport(LIMITS), pieces.join(""));
    if (read.kind !== "read") throw new Error(read.reason);
    expect(read.entries.map((entry) => [entry.name, entry.note])).toEqual([
      [first?.name, undefined],
      [second?.name, second?.note],
    ]);
    // With pauses on the way.
    if (parts === 2000) expect(pieces.filter((piece) => piece === "").length).toBeGreaterThan(50);
  }
});

test("[F10] a long text is written with pauses in every format", () => {
  const long = "long & <b>very</b> long ".repeat(15_000);
  const outline = outlineWith([{ depth: 0, layout: "bullets", name: long, note: long }]);
  for (const format of ["opml", "markdown", "text"] as const) {
    const pieces = [...exportedPieces(outline, format, TITLE)];
    expect(pieces.filter((piece) => piece === "").length, format).toBeGreaterThan(10);
  }
});
