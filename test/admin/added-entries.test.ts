import { expect, test } from "vitest";
import { AddedEntries } from "../../src/admin/added-entries.ts";
import { ROOT } from "../../src/core/node-key.ts";
import { bytesOf, OutlineSize } from "../../src/core/room/outline-size.ts";
import { Planter } from "../../src/core/calendar/planter.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";
import { seedlingOfEntry } from "../../src/formats/seedling-of-entry.ts";
import { soloOutline } from "../support/lab.ts";

const COUNT = 600;
const OPEN = { depth: 0, layout: "bullets" } as const;

/** What an import of such entries is said to add, and what it adds. */
function bytesOfImport(entryAt: (index: number) => OutlineEntry) {
  const outline = soloOutline();
  const size = new OutlineSize(outline.doc);
  const entries = new AddedEntries();
  const planter = new Planter(outline, { parent: ROOT, position: "bottom" });
  const before = { said: entries.sum.bytes, counted: bytesOf(size, 0) };
  for (let index = 0; index < COUNT; index++) {
    const entry = entryAt(index);
    entries.add(entry);
    const work = seedlingOfEntry(outline, entry, new Map());
    let step = work.next();
    while (step.done !== true) step = work.next();
    planter.add(step.value);
  }
  return {
    said: entries.sum.bytes - before.said,
    added: bytesOf(size, COUNT) - before.counted,
  };
}

const name = (index: number): string => `A line as people write it, number ${index}`;

test.each<readonly [string, (index: number) => OutlineEntry]>([
  ["plain lines", (index) => ({ ...OPEN, name: name(index) })],
  ["lines without a name", () => ({ ...OPEN, name: "" })],
  ["a deep tree", (index) => ({ ...OPEN, depth: index % 50, name: name(index) })],
  ["notes", (index) => ({ ...OPEN, name: name(index), note: "a note\nof two lines" })],
  ["notes without names", () => ({ ...OPEN, name: "", note: "all that is there" })],
  ["formats", () => ({ ...OPEN, name: "a <b>bold</b> word and <i>one</i> more" })],
  [
    "all that a node can have",
    (index) => ({
      ...OPEN,
      name: name(index),
      layout: "todo",
      completedAt: 1_700_000_000,
      createdAt: 1_600_000_000,
      modifiedAt: 1_650_000_000,
    }),
  ],
])("[Q61] an import of %s adds no more than it is said to", (_, entryAt) => {
  const { said, added } = bytesOfImport(entryAt);
  expect(added).toBeGreaterThan(COUNT * 1_000);
  expect(said).toBeGreaterThanOrEqual(added);
});
