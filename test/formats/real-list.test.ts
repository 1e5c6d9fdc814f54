import { expect, test } from "vitest";
import { markdownOfEntries } from "../../src/formats/markdown-export.ts";
import { MarkdownImport } from "../../src/formats/markdown-import.ts";
import { depthsOf, lastOutlineOf, markdownOfTrace } from "../bench/trace-outline.ts";
import { placed } from "./placed.ts";
import { readAll } from "./read-outline.ts";

const TRACE = new URL("../fixtures/traces/awesome-go.jsonl.gz", import.meta.url);
const LIMITS = { maxNodes: 10_000, maxDepth: 100, maxTextBytes: 100_000 };

test("[F5] a real list of 3,526 nodes keeps its shape, its links and its code", () => {
  const list = lastOutlineOf(TRACE);
  const read = readAll(new MarkdownImport(LIMITS), markdownOfTrace(list));
  if (read.kind === "broken") throw new Error(`${read.place}: ${read.reason}`);
  expect(read.entries.map(({ depth }) => depth)).toEqual(depthsOf(list));
  expect(read.entries).toHaveLength(3526);
  const count = (part: string) => read.entries.filter(({ name }) => name.includes(part)).length;
  expect({ links: count("<a href="), code: count("<code>") }).toEqual({ links: 3044, code: 63 });

  const again = readAll(
    new MarkdownImport(LIMITS),
    [...markdownOfEntries(placed(read.entries))].join(""),
  );
  expect(again).toEqual(read);
});
