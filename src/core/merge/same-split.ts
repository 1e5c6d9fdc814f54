import type * as Y from "yjs";
import { completedAtOf } from "../node/completion.ts";
import { layoutOf } from "../node/node-reader.ts";
import type { NodeKey } from "../node-key.ts";
import type { Outline } from "../outline.ts";
import { nodesOf, notesOf, textOf } from "../schema.ts";
import { plainText, sameRichText } from "../text/rich-text.ts";
import { readRichText } from "../text/y-text.ts";
import { rankIn, type TreeRow } from "../tree/tree-row.ts";
import { holderOf } from "../yjs/inside.ts";

/**
 * Where two authors split a line at the same place, without knowing of each other: the second of the
 * two new lines that say the same. That they meant one split is told by the line before them, or the one
 * that they are the first in, at whose end both deleted what the new lines say.
 * @param key of a node that has just come
 * @param haveDeletedAtEnd whether two authors have deleted these characters at the end of a text
 * @returns the row that is to go: nothing is below it, and nothing is in it but that text
 */
export function secondHalfOfSplit(
  outline: Outline,
  key: NodeKey,
  haveDeletedAtEnd: (text: Y.Text, said: string) => boolean,
): TreeRow | undefined {
  const row = outline.tree.visibleRow(key);
  const siblings = row?.parent?.children ?? [];
  const nodes = nodesOf(outline.doc);
  const at = row === undefined ? 0 : rankIn(siblings, row);
  for (const first of [at - 1, at]) {
    const before = first === 0 ? row?.parent : siblings[first - 1];
    const rows = [before, siblings[first], siblings[first + 1]];
    const [line, one, other] = rows.map((each) => each && textOf(nodes, each.key));
    if (line === undefined || one === undefined || other === undefined) continue;
    if (!areHalves(one, other)) continue;
    if (!haveDeletedAtEnd(line, plainText(readRichText(one)))) continue;
    const halves = [siblings[first], siblings[first + 1]].filter((half) => half !== undefined);
    // The one that every order of arrival leaves is that of the smallest key.
    halves.sort((a, b) => (a.key < b.key ? 1 : -1));
    const bare = halves.find((half) => isBare(outline, half));
    if (bare !== undefined) return bare;
  }
  return undefined;
}

/** Whether two nodes of different authors say the same. */
function areHalves(one: Y.Text, other: Y.Text): boolean {
  // Before anything that takes as long as they are.
  if (one.length !== other.length) return false;
  if (holderOf(one)?.id.client === holderOf(other)?.id.client) return false;
  const name = readRichText(one);
  return (
    plainText(name) !== "" &&
    sameRichText(name, readRichText(other)) &&
    layoutOf(one) === layoutOf(other) &&
    completedAtOf(one) === completedAtOf(other)
  );
}

function isBare({ tree, doc }: Outline, row: TreeRow): boolean {
  const text = textOf(nodesOf(doc), row.key);
  const hasNote = text === undefined || notesOf(text).some((note) => note.length > 0);
  return !hasNote && row.children.length === 0 && [...tree.deletedChildren(row)].length === 0;
}
