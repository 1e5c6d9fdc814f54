import * as Y from "yjs";
import { addedNodes, addedTexts } from "../room/addition.ts";
import type { ItemId } from "../yjs/item-id.ts";
import { livingPlaceOf } from "../tree/living-place.ts";
import { ROOT, type NodeKey } from "../node-key.ts";
import type { Outline } from "../outline.ts";
import { notesOf, textOf } from "../schema.ts";
import { parseDeletion } from "../node/deletion-mark.ts";
import { plainText, type RichText } from "../text/rich-text.ts";
import { MAX_TEXT_LENGTH } from "../text/text-limits.ts";
import type { TextPart } from "../node/text-part.ts";
import type { TreeRow } from "../tree/tree-row.ts";
import { firstItem } from "../yjs/inside.ts";

/** Text that would be gone with the line that it was typed into. */
export interface LateText {
  readonly runs: RichText;
  readonly last?: ItemId;
  readonly follows?: ItemId | undefined;
}

/** A line in the trash with such text. */
interface KeptLine {
  readonly key: NodeKey;
  /** The character that was added to it last, where it was typed. */
  last: ItemId | undefined;
}

/** Lines that are remembered, so that what is typed on goes to the same one. */
const MAX_LINES = 1_000;
/** Names of a path, and characters of each, that a note tells. */
const MAX_NAMES = 8;
const MAX_NAME_LENGTH = 80;
/** Items of each that are looked at: it is told once for each line that is kept. */
const MAX_ITEMS = 1_000;

/** What stands between texts that were typed into different places. */
export function gapOf(part: TextPart): string {
  return part === "name" ? " … " : "\n";
}

const NAME_OF_NOTE: RichText = [{ insert: "(typed into a note)" }];

/**
 * Keeps text that somebody typed into a line that is gone for good, not knowing it: as a line of its
 * own in the trash, where the deleted line stood, with a note that says where that was. What is typed
 * into the same line later is added to it. On the server alone, inside transactions.
 */
export class KeptText {
  readonly #outline: Outline;
  readonly #nodes: Y.Map<Y.Text>;
  /** By what the text was typed into. [Q40] */
  readonly #lines = new Map<string, KeptLine>();

  constructor(outline: Outline, nodes: Y.Map<Y.Text>) {
    this.#outline = outline;
    this.#nodes = nodes;
  }

  /**
   * Keeps text that was typed into a row's name or note.
   * @returns false when the outline has no room for it
   */
  keep(row: TreeRow, part: TextPart, late: LateText): boolean {
    const isAdded = this.#addTo(row.key, part, late);
    return isAdded ?? this.#make(row.key, part, late, row);
  }

  /** Keeps text of a line of which nothing is known any more. @param source whose text it is */
  keepStray(source: string, late: LateText): boolean {
    return this.#addTo(source, "name", late) ?? this.#make(source, "name", late, undefined);
  }

  /** Undefined when there is no line that the text could be added to. */
  #addTo(source: string, part: TextPart, { runs, last, follows }: LateText): boolean | undefined {
    const line = this.#lines.get(source);
    const row = line && this.#outline.tree.rowAt(line.key);
    const name = line && textOf(this.#nodes, line.key);
    const isInTrash = parseDeletion(row?.deletion)?.kind === "trash";
    const text = part === "name" || name === undefined ? name : notesOf(name)[0];
    if (line === undefined || text === undefined || !isInTrash) return undefined;
    const added = plainText(runs);
    if (text.length + added.length + gapOf(part).length > MAX_TEXT_LENGTH) return undefined;
    if (this.#outline.quota.take(addedTexts([added])) !== undefined) return false;
    const isTypedOn =
      follows !== undefined &&
      line.last?.client === follows.client &&
      line.last.clock === follows.clock;
    insertAtEnd(text, isTypedOn ? runs : [{ insert: gapOf(part) }, ...runs]);
    if (last !== undefined) line.last = last;
    return true;
  }

  #make(
    source: string,
    part: TextPart,
    { runs, last }: LateText,
    from: TreeRow | undefined,
  ): boolean {
    const { tree, treeWriter, nodeWriter } = this.#outline;
    const place = from && livingPlaceOf(from);
    const parent = place?.parent ?? tree.root;
    const where = from === undefined ? UNKNOWN_PLACE : this.#sentence(parent);
    const note: RichText =
      part === "name" ? [{ insert: where }] : [{ insert: where + gapOf(part) }, ...runs];
    const name = part === "name" ? runs : NAME_OF_NOTE;
    if (plainText(runs).trim() === "") return true;
    if (this.#outline.quota.take(addedNodes(1, plainText(name), plainText(note))) !== undefined)
      return false;
    const key = this.#outline.freeKey();
    const text = nodeWriter.create(key, { name, note });
    const order =
      place === undefined ? treeWriter.lastOrder(parent) : treeWriter.orderFor(place.gap);
    treeWriter.place(key, text, { parent: parent.key, order }, this.#outline.now());
    const row = tree.rowAt(key);
    if (row !== undefined) treeWriter.markDeleted(row, { kind: "trash", seen: "everything" });
    if (this.#lines.size >= MAX_LINES) this.#lines.clear();
    this.#lines.set(source, { key, last });
    return true;
  }

  /** Where a line was that is gone, by the names of the lines above that are there. */
  #sentence(parent: TreeRow): string {
    const names: string[] = [];
    for (let up = parent; up.key !== ROOT && names.length < MAX_NAMES;) {
      const text = textOf(this.#nodes, up.key);
      names.unshift(text === undefined ? "" : beginningIn(text).replaceAll("\n", " "));
      if (up.parent === undefined) break;
      up = up.parent;
    }
    const where = names.length === 0 ? "at the top level" : `in “${names.join(" › ")}”`;
    return `Typed into a line that was deleted for good meanwhile. That line was ${where}.`;
  }
}

const UNKNOWN_PLACE =
  "Typed into a line that was deleted for good long ago. Where that line was is not known any more.";

/** What a name begins with, however long it is. */
function beginningIn(text: Y.Text): string {
  let name = "";
  let looked = 0;
  let item = firstItem(text);
  for (; item !== null && name.length <= MAX_NAME_LENGTH && looked < MAX_ITEMS; item = item.right) {
    looked += 1;
    const { content } = item;
    if (content instanceof Y.ContentString && !item.deleted) {
      name += content.str.slice(0, MAX_NAME_LENGTH + 1);
    }
  }
  const isWhole = item === null && name.length <= MAX_NAME_LENGTH;
  return isWhole ? name : `${name.slice(0, MAX_NAME_LENGTH)}…`;
}

function insertAtEnd(text: Y.Text, runs: RichText): void {
  const delta = runs.map(({ insert, attributes }) => ({ insert, attributes: { ...attributes } }));
  text.applyDelta([{ retain: text.length }, ...delta]);
}
