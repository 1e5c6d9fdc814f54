import { type RichText, RunBuilder } from "./rich-text.ts";

/**
 * Places in a text of one node at which formats may change. What Yjs does to change such a text
 * takes some 10 µs for each.
 */
export const MAX_FORMAT_MARKS = 10_000;

/**
 * Marks that a text may be written with: each format of each run starts with one and ends with one.
 * What others write at the same time comes on top of that.
 */
export const MAX_MARKS = 2 * MAX_FORMAT_MARKS;

/** UTF-16 units that a name or a note may have for the server to take it in one go. */
export const MAX_TEXT_LENGTH = 2 ** 20;

/** Lines of one name. */
export const MAX_NAME_LINES = 50_000;

/** How many marks a text is written with. */
export function marksOf(text: RichText): number {
  let marks = 0;
  for (const { attributes } of text) {
    if (attributes !== undefined) marks += 2 * Object.keys(attributes).length;
  }
  return marks;
}

/** The text with as many of its formats, from its start on, as it may have. */
export function withinMarks(text: RichText): RichText {
  if (marksOf(text) <= MAX_MARKS) return text;
  const runs = new RunBuilder();
  let marks = 0;
  for (const run of text) {
    marks += marksOf([run]);
    runs.add(run.insert, marks > MAX_MARKS ? undefined : run.attributes);
  }
  return runs.finish();
}
