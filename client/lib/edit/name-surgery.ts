import type * as Y from "yjs";
import { layoutOf } from "../../../src/core/node/node-reader.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Destination } from "../../../src/core/tree/destinations.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import type { RichText } from "../../../src/core/text/rich-text.ts";
import { sliceOfText } from "./slice-of-text.ts";
import { wholeCharacters } from "./typed-text.ts";

/**
 * Cuts the name of a visible node: what is behind `at` goes to a new node at a place that is there. In
 * the transaction under way.
 */
export function splitNode(outline: Outline, key: NodeKey, at: number, to: Destination): NodeKey {
  const text = textOf(nodesOf(outline.doc), key);
  if (text === undefined) throw new Error("a node that is split has a text");
  const { from } = wholeCharacters(text, { from: at, to: at });
  const name = sliceOfText(outline.richText(key, "name"), from);
  if (from < text.length) {
    outline.editText(key, "name", (edited) => edited.delete(from, edited.length - from));
  }
  const layout = layoutOf(text) === "todo" ? "todo" : undefined;
  return outline.createPlain({ ...to, name, layout });
}

/** Appends the name and the note of a visible node to another's. In the transaction under way. */
export function joinNodes(outline: Outline, key: NodeKey, into: NodeKey): void {
  const name = outline.richText(key, "name");
  const note = outline.richText(key, "note");
  if (name.length > 0) outline.editText(into, "name", (text) => append(text, name));
  if (note.length === 0) return;
  outline.editText(into, "note", (text) => {
    append(text, text.length === 0 ? note : [{ insert: "\n" }, ...note]);
  });
}

function append(text: Y.Text, runs: RichText): void {
  // Formats are said for every run, so that none is taken over from the text before.
  const inserts = runs.map(({ insert, attributes }) => ({ insert, attributes: { ...attributes } }));
  text.applyDelta(text.length === 0 ? inserts : [{ retain: text.length }, ...inserts]);
}
