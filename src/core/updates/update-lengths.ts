import { notesOf } from "../schema.ts";
import type { UpdateLimits } from "./update-limits.ts";
import { isSharedType, type ListPlace, type Owner, type PlaceFinder } from "./update-places.ts";
import type { StructRecord } from "./update-reader.ts";
import { lengthOf } from "../yjs/inside.ts";

/** UTF-16 units. */
interface GrowingText {
  readonly before: number;
  added: number;
}

/** How much an update adds to each name, to all notes of each node, and to the time marks. */
export class AddedLengths {
  readonly #places: PlaceFinder;
  readonly #maxText: number;
  readonly #maxMarks: number;
  readonly #texts = new Map<Owner, GrowingText>();
  /** By the node. */
  readonly #notes = new Map<Owner, GrowingText>();
  #marks = 0;

  constructor(places: PlaceFinder, { maxTextLength, maxMarks }: UpdateLimits) {
    this.#places = places;
    this.#maxText = maxTextLength;
    this.#maxMarks = maxMarks;
  }

  /** False when it gets too much. */
  add({ content, length }: StructRecord, { list, owner, sub }: ListPlace): boolean {
    if (list === "clk" && content.kind === "any") {
      this.#marks += length;
      return this.#marks <= this.#maxMarks;
    }
    if (content.kind !== "text" || owner === undefined || sub !== null) return true;
    const text = this.#textOf(owner, list);
    text.added += length;
    return text.added <= this.#maxText && text.before + text.added <= 2 * this.#maxText;
  }

  /** All notes of a node count as one text: they are shown as one. */
  #textOf(owner: Owner, list: ListPlace["list"]): GrowingText {
    let text = this.#texts.get(owner);
    if (text !== undefined) return text;
    const node = list === "note" ? this.#places.nodeOfNote(owner) : undefined;
    text =
      node === undefined
        ? { before: isSharedType(owner) ? lengthOf(owner) : 0, added: 0 }
        : (this.#notes.get(node) ?? { before: lengthOfNotes(node), added: 0 });
    if (node !== undefined) this.#notes.set(node, text);
    this.#texts.set(owner, text);
    return text;
  }
}

function lengthOfNotes(node: Owner): number {
  if (!isSharedType(node)) return 0;
  return notesOf(node).reduce((length, note) => length + note.length, 0);
}
