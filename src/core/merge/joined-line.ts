import * as Y from "yjs";
import type { Insertion } from "./insertions.ts";
import { itemsBetween } from "../yjs/struct-store.ts";
import type { NodeKey } from "../node-key.ts";
import { ATTRIBUTE, nodesOf, notesOf, ownerOf, textOf } from "../schema.ts";
import { firstItem } from "../yjs/inside.ts";

/** Items that are looked at behind what was appended, the rest of it and moves of what was below; and of the line. */
const MAX_ITEMS = 64;
/** Of the line, when it is looked whether it may have said what was appended. */
const MAX_CHARACTERS = 256;

/**
 * The line that its author joined to a text, when an insertion is what was appended there: between that
 * and the deletion of the line nothing but the join was written, and the line may have said it. By the
 * state alone, whatever has become of the line since.
 */
export function joinedLine(text: Y.Text, { items, client }: Insertion): NodeKey | undefined {
  const { doc } = text;
  const last = items.at(-1);
  if (doc === null || last === undefined) return undefined;
  const nodes = nodesOf(doc);
  const target = ownerOf(nodes, text)?.key;
  const from = last.lastId.clock + 1;
  let looked = 0;
  for (const { parent, parentSub } of itemsBetween(doc, client, from, Number.POSITIVE_INFINITY)) {
    if (!(parent instanceof Y.Text) || ++looked > MAX_ITEMS) return undefined;
    const owner = ownerOf(nodes, parent);
    if (owner?.key === target) continue;
    if (owner?.isNode !== true) return undefined;
    if (parentSub === ATTRIBUTE.placement) continue;
    if (parentSub !== ATTRIBUTE.deletion) return undefined;
    const line = textOf(nodes, owner.key);
    const said = charactersOf(items).replace(/^\n/, "");
    const maySay = line !== undefined && [line, ...notesOf(line)].some(maySayIn(said));
    return maySay ? owner.key : undefined;
  }
  return undefined;
}

function charactersOf(items: readonly Y.Item[]): string {
  return items
    .map(({ content }) => (content instanceof Y.ContentString ? content.str : ""))
    .join("");
}

/**
 * Whether a few characters stand in a short text in their order, others between them. What was deleted
 * passes for any: so it is true however others change the line, unless they write much into it.
 */
const maySayIn =
  (said: string) =>
  (text: Y.Text): boolean => {
    if (text.length > MAX_CHARACTERS) return false;
    let found = 0;
    let left = MAX_ITEMS;
    for (let item = firstItem(text); item !== null && left-- > 0; item = item.right) {
      if (item.deleted) found += item.length;
      else if (item.content instanceof Y.ContentString) {
        for (const unit of item.content.str.split("")) if (unit === said.charAt(found)) found += 1;
      }
    }
    return found >= said.length;
  };
