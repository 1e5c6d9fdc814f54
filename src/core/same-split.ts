import * as Y from "yjs";
import { completedAtOf } from "./completion.ts";
import { layoutOf } from "./node-reader.ts";
import type { NodeKey } from "./node-key.ts";
import type { Outline } from "./outline.ts";
import { ATTRIBUTE, entryOf, nodesOf, notesOf, textOf } from "./schema.ts";
import { plainText, sameRichText } from "./text/rich-text.ts";
import { readRichText } from "./text/y-text.ts";
import { rankIn, type TreeRow } from "./tree-row.ts";
import { firstItem, holderOf } from "./yjs/inside.ts";

/**
 * Where two authors split a line at the same place, without knowing of each other: the second of the
 * two new lines that say the same. That they meant one split is told by the line before them, or the one
 * that they are first in, at whose end both deleted what the new lines say.
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
    const line = before && textOf(nodes, before.key);
    const halves = siblings.slice(Math.max(0, first), first + 2);
    if (line === undefined || halves.length < 2) continue;
    // The one that every order of arrival leaves is that of the smallest key.
    halves.sort((a, b) => (a.key < b.key ? 1 : -1));
    const second = halves.find((half, index) => {
      const [text, other] = [half, halves[1 - index]].map(
        (each) => each && textOf(nodes, each.key),
      );
      if (text === undefined || other === undefined || !isHalfOf(other, text)) return false;
      return haveDeletedAtEnd(line, plainText(readRichText(text))) && isBare(outline, half);
    });
    if (second !== undefined) return second;
  }
  return undefined;
}

/** Whether a node says what another says that is of another author, or began with that. */
function isHalfOf(more: Y.Text, half: Y.Text): boolean {
  // Before anything that takes as long as they are.
  if (half.length === 0 || more.length < half.length) return false;
  if (holderOf(more)?.id.client === holderOf(half)?.id.client) return false;
  if (layoutOf(more) !== layoutOf(half) || completedAtOf(more) !== completedAtOf(half))
    return false;
  const name = readRichText(half);
  return more.length === half.length
    ? sameRichText(readRichText(more), name)
    : beganWith(more) === plainText(name);
}

/** What is left of the name with which a node was made: that is written before its first place. */
function beganWith(text: Y.Text): string {
  let place = entryOf(text, ATTRIBUTE.placement);
  while (place?.left) place = place.left;
  let said = "";
  for (let item = firstItem(text); item !== null; item = item.right) {
    if (item.deleted || !(item.content instanceof Y.ContentString)) continue;
    const { client, clock } = item.id;
    if (client === place?.id.client && clock < place.id.clock) said += item.content.str;
  }
  return said;
}

function isBare({ tree, doc }: Outline, row: TreeRow): boolean {
  const text = textOf(nodesOf(doc), row.key);
  const hasNote = text === undefined || notesOf(text).some((note) => note.length > 0);
  return !hasNote && row.children.length === 0 && [...tree.deletedChildren(row)].length === 0;
}
