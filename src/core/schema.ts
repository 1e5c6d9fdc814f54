import * as Y from "yjs";
import type { NodeKey } from "./node-key.ts";
import { type Held, holderOf, itemsByKey, type Keyed } from "./yjs/inside.ts";

/**
 * Where an outline keeps what, in its Yjs document (docs/SPEC.md, rules D).
 *
 * `nodes` maps a node's key to one Y.Text. Its content is the name; its attributes are everything
 * else, absent where they say the default. Whatever another client wrote that does not fit is read as
 * absent: reading never throws.
 */

/** The schema this code reads and writes. A document that says more is for newer code. */
export const SCHEMA_VERSION = 2;

/** The last second of the year 9999. */
export const LATEST_SECOND = 253_402_300_799;

/** The entry of `meta` that says the schema: the server's to write. */
export const VERSION = "v";

/** Names of the attributes on a node's Y.Text. */
export const ATTRIBUTE = {
  /** Parent, creation time and order in one register; see placement.ts. */
  placement: "p",
  /** Layout and when it was set; see timed-value.ts. Absent is the default. */
  layout: "l",
  /** Completed at, Unix seconds; negative or 0 is reopened; absent is never completed. */
  completed: "x",
  /** What `x` alone can't say of earlier completions; see completion.ts. */
  completions: "c",
  /** Deletion mark and when it was set; see deletion-mark.ts. */
  deletion: "d",
  /** What a mirror is a mirror of, by its key: written when it is made. Absent or "": no mirror. */
  origin: "r",
  /** Modified at, Unix seconds, exact: covers what its own author wrote to the node before it. */
  modified: "m",
  /** The note by the author that follows, a Y.Text of its own: `o1f`. */
  notePrefix: "o",
} as const;

export function nodesOf(doc: Y.Doc): Y.Map<Y.Text> {
  return doc.getMap<Y.Text>("nodes");
}

export function shortcutsOf(doc: Y.Doc): Y.Map<string> {
  return doc.getMap<string>("keys");
}

/** Time marks of authors, in Unix seconds, and the server's records of when things came, as bytes. */
export function marksOf(doc: Y.Doc): Y.Array<number> {
  return doc.getArray<number>("clk");
}

export function metaOf(doc: Y.Doc): Y.Map<unknown> {
  return doc.getMap("meta");
}

/** The item that holds the current value of a map entry or attribute; undefined when there is none. */
export function entryOf(type: Keyed, name: string): Y.Item | undefined {
  const item = itemsByKey(type).get(name);
  return item === undefined || item.deleted ? undefined : item;
}

/** The current value of a map entry or attribute. */
export function valueOf(type: Keyed, name: string): unknown {
  return entryOf(type, name)?.content.getContent().at(-1);
}

/** The Y.Text of a node, whether or not it has a place in the tree. */
export function textOf(nodes: Y.Map<Y.Text>, key: string): Y.Text | undefined {
  const item = itemsByKey(nodes).get(key);
  return item === undefined ? undefined : textIn(item);
}

/** The Y.Text that an entry of the nodes holds; undefined when it is deleted or something else. */
export function textIn(item: Y.Item): Y.Text | undefined {
  if (item.deleted || !(item.content instanceof Y.ContentType)) return undefined;
  const { type } = item.content;
  return type instanceof Y.Text ? type : undefined;
}

/** A string attribute of a node; undefined when it is absent or something else. */
export function stringAttribute(text: Y.Text, name: string): string | undefined {
  const value = valueOf(text, name);
  return typeof value === "string" ? value : undefined;
}

/** Whether a number is a Unix time in whole seconds, of the years 1970 to 9999 and not 0. */
export function isSecond(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= LATEST_SECOND;
}

/** A Unix time in seconds that an attribute holds; undefined for anything else, 0 included. */
export function secondsAttribute(text: Y.Text, name: string): number | undefined {
  const value = valueOf(text, name);
  return isSecond(value) ? value : undefined;
}

/** The note texts of a node in the order of their attribute names. */
export function notesOf(text: Keyed): readonly Y.Text[] {
  const notes: { readonly name: string; readonly note: Y.Text }[] = [];
  for (const [name, item] of itemsByKey(text)) {
    if (!name.startsWith(ATTRIBUTE.notePrefix)) continue;
    const note = textIn(item);
    if (note !== undefined) notes.push({ name, note });
  }
  if (notes.length === 0) return NO_NOTES;
  return notes.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ note }) => note);
}

const NO_NOTES: readonly Y.Text[] = [];

/** The key of the node that a type belongs to: the node's text itself, or one of its notes. */
export function ownerOf(
  nodes: Y.Map<Y.Text>,
  type: Held,
): { readonly key: NodeKey; readonly isNode: boolean } | undefined {
  const item = holderOf(type);
  if (item === null || item.parent === null || item.parentSub === null) return undefined;
  if (item.parent === nodes) return { key: item.parentSub as NodeKey, isNode: true };
  const outer = item.parent instanceof Y.Text ? holderOf(item.parent) : null;
  if (outer === null || outer.parent !== nodes || outer.parentSub === null) return undefined;
  return { key: outer.parentSub as NodeKey, isNode: false };
}
