import type * as Y from "yjs";
import { notesOf } from "../schema.ts";
import { readRichText } from "../text/y-text.ts";

/**
 * The notes of a node that say something, in the order of their attributes; of those that say the same,
 * in the same formats, the first: two people who begin the same note begin one.
 */
export function notesSaid(text: Y.Text): readonly Y.Text[] {
  const notes = notesOf(text).filter((note) => note.length > 0);
  if (notes.length < 2) return notes;
  const said = new Set<string>();
  return notes.filter((note) => {
    const before = said.size;
    said.add(JSON.stringify(readRichText(note)));
    return said.size > before;
  });
}
