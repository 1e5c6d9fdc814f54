import * as Y from "yjs";
import type { ItemId } from "../yjs/item-id.ts";
import { OpenFormats } from "../text/open-formats.ts";
import { RunBuilder, type RichText } from "../text/rich-text.ts";
import { firstItem } from "../yjs/inside.ts";
import { forEachAdded } from "../yjs/struct-store.ts";

/** Text that was typed into one place of a name or a note, with what of it has been deleted left out. */
export interface TypedText {
  readonly text: Y.Text;
  readonly runs: RichText;
  /** The first of its characters. */
  readonly first: ItemId;
  /** The last of them, and what stands before the first one: what is typed on follows it. */
  readonly last: ItemId;
  readonly follows: ItemId | undefined;
}

/** The offset in an item behind which its characters are wanted; its length when none is. */
type WantedFrom = (item: Y.Item) => number;

/**
 * What a transaction has added to some texts and not deleted. To be asked when it ends. O(structs that
 * it has added).
 */
export function typedIn(
  transaction: Y.Transaction,
  texts: ReadonlySet<Y.Text>,
): readonly TypedText[] {
  const wantedFrom: WantedFrom = ({ id, length }) =>
    id.clock >= (transaction.beforeState.get(id.client) ?? 0) ? 0 : length;
  const typed: TypedText[] = [];
  forEachAdded(transaction, (item) => {
    if (!(item instanceof Y.Item) || item.parentSub !== null) return;
    const { parent } = item;
    if (!(parent instanceof Y.Text) || !texts.has(parent)) return;
    if (isStart(item, wantedFrom)) typed.push(...pieceFrom(item, parent, wantedFrom));
  });
  return typed;
}

/** What stands in a text of what is wanted of it. O(items). */
export function piecesOf(text: Y.Text, wantedFrom: WantedFrom): readonly TypedText[] {
  const typed: TypedText[] = [];
  for (let item = firstItem(text); item !== null; item = item.right) {
    if (isStart(item, wantedFrom)) typed.push(...pieceFrom(item, text, wantedFrom));
  }
  return typed;
}

/** Whether something is wanted of an item, and not of what stands before that. */
function isStart(item: Y.Item, wantedFrom: WantedFrom): boolean {
  const from = wantedFrom(item);
  if (from === item.length) return false;
  return from > 0 || item.left === null || wantedFrom(item.left) === item.left.length;
}

/** The text of an item and of those that follow it, as far as they are wanted; none when it is empty. */
function pieceFrom(start: Y.Item, text: Y.Text, wantedFrom: WantedFrom): readonly TypedText[] {
  const runs = new RunBuilder();
  const open = new OpenFormats();
  let first: ItemId | undefined;
  let last: ItemId | undefined;
  for (let item: Y.Item | null = start; item !== null; item = item.right) {
    const from = wantedFrom(item);
    if (from > 0 && item !== start) break;
    const { id, content } = item;
    if (content instanceof Y.ContentString && !item.deleted) {
      runs.add(content.str.slice(from), open.formats);
      first ??= { client: id.client, clock: id.clock + from };
    } else if (content instanceof Y.ContentFormat && !item.deleted) {
      open.pass(content.key, content.value);
    }
    if (!(content instanceof Y.ContentFormat)) last = item.lastId;
  }
  if (first === undefined || last === undefined) return [];
  return [{ text, runs: runs.finish(), first, last, follows: start.left?.lastId }];
}
