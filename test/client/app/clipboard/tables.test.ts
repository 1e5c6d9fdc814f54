import { describe, expect, it } from "vitest";
import { entriesOfHtml } from "../../../../client/app/clipboard/entries-of-html.ts";
import { entriesOfText } from "../../../../client/app/clipboard/entries-of-text.ts";
import { STYLE_ATTRIBUTE, type HtmlNode } from "../../../../client/app/clipboard/html-line.ts";
import type { OutlineEntry } from "../../../../src/formats/outline-entry.ts";
import { el } from "./html-tree.ts";

type Cell = string | readonly (HtmlNode | string)[];

const BREAK = el("br", {});

function table(...rows: readonly (readonly Cell[])[]): HtmlNode {
  const cell = (inside: Cell) => el("td", {}, ...(typeof inside === "string" ? [inside] : inside));
  return el("table", {}, el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(cell)))));
}

function lines(entries: readonly OutlineEntry[]): readonly string[] {
  return entries.map(({ depth, name }) => `${depth} ${name}`);
}

function read(...nodes: readonly HtmlNode[]): readonly string[] {
  return lines(entriesOfHtml(el("body", {}, ...nodes)));
}

describe("a pasted table", () => {
  it("[W439] keeps its columns where the first cells of a row are empty", () => {
    expect(
      read(
        table(["", "Mon", "Tue"], ["Ann", "x", ""], ["", "", "y"], ["", "", ""], ["Bob", "", "z"]),
      ),
    ).toEqual(["0 | Mon | Tue", "0 Ann | x |", "0 | | y", "0 Bob | | z"]);
  });

  it("[W439] has no column for cells that only make room", () => {
    expect(read(table(["", "a"], ["", "b"]))).toEqual(["0 a", "0 b"]);
    expect(read(table(["", "a", "1"], ["", "b", "2"]))).toEqual(["0 a | 1", "0 b | 2"]);
  });

  it("[W439] keeps a row with line breaks in its cells on its line", () => {
    const rows = [
      ["Name", "Where"],
      ["Ann", ["Main St", BREAK, "Rome"]],
      [["Bob", BREAK], "Oslo"],
    ];
    expect(read(table(...rows))).toEqual([
      "0 Name | Where",
      "0 Ann | Main St Rome",
      "0 Bob | Oslo",
    ]);
  });

  it("[W439] keeps the lines of what is only placed by it, and of paragraphs", () => {
    expect(read(table([["Ann", BREAK, "Rome"], "picture"]))).toEqual(["0 Ann", "0 Rome | picture"]);
    const post = ["one", BREAK, " ", BREAK, "two"];
    expect(read(table(["Ann", post], ["Bob", "three"]))).toEqual([
      "0 Ann | one",
      "0 two",
      "0 Bob | three",
    ]);
  });

  it("[W439] keeps a row with quoted cells on its line in plain text too", () => {
    expect(
      lines(entriesOfText('Name\tWhere\nAnn\t"Main St\nthe ""old"" one"\r\n"Bob\nB."\tOslo\n')),
    ).toEqual(["0 Name\tWhere", '0 Ann\tMain St the "old" one', "0 Bob B.\tOslo"]);
    expect(lines(entriesOfText('a\t"b\nc"\t"d\ne"\n"f\ng"\t"h\ni"'))).toEqual([
      "0 a\tb c\td e",
      "0 f g\th i",
    ]);
    // No cells: a quotation over two lines, and quotes that stay on their line.
    expect(lines(entriesOfText('a\n\t"b\nc"'))).toEqual(["0 a", '1 "b', '0 c"']);
    expect(lines(entriesOfText('a\t"b"\n"c"\td'))).toEqual(['0 a\t"b"', '0 "c"\td']);
  });
});

describe("a pasted text with many tabs or a quote that nothing closes", () => {
  it("[W439] is read as it is", () => {
    const tabs = "\t".repeat(300_000);
    expect(lines(entriesOfText(`a${tabs}"\nb`))).toEqual([`0 a${tabs}"`, "0 b"]);
    const long = "x".repeat(300_000);
    expect(lines(entriesOfText(`a\t"${long}\nb`))).toEqual([`0 a\t"${long}`, "0 b"]);
  });
});

describe("a pasted page that shows each space", () => {
  const styled = (tag: string, space: string, ...inside: readonly (HtmlNode | string)[]) =>
    el(tag, { [STYLE_ATTRIBUTE]: `color: #000;white-space: ${space};` }, ...inside);

  it("[W440] keeps runs of spaces, line breaks and empty lines as VS Code copies them", () => {
    const code = styled(
      "div",
      "pre",
      el("div", {}, el("span", {}, "const a   "), el("span", {}, "= 1;")),
      BREAK,
      el("div", {}, el("span", {}, "const long = 2;")),
    );
    expect(read(code)).toEqual(["0 const a   = 1;", "0 const long = 2;"]);
    expect(read(styled("p", "pre-wrap", "one\ntwo  spaces\r\n\n three"))).toEqual([
      "0 one",
      "0 two  spaces",
      "0 three",
    ]);
  });

  it("[W440] joins them again inside what does not", () => {
    expect(read(styled("div", "pre-wrap", styled("p", "normal", "a  b\nc")))).toEqual(["0 a b c"]);
    const item = el("li", {}, "\n  ", el("p", {}, "a"));
    expect(read(styled("ul", "break-spaces", "\n  ", item, "\n", item))).toEqual(["0 a", "0 a"]);
  });
});
