import type * as Y from "yjs";
import type { NodeKey } from "./node-key.ts";
import type { Outline } from "./outline.ts";
import type { OutlineView } from "./outline-view.ts";
import { hrefOfNode, nodeOfHref } from "./text/node-link.ts";
import { plainText, type Run } from "./text/rich-text.ts";
import { readRichText } from "./text/y-text.ts";

/** Of a link that is made by a node's name. */
const MOST_CHARACTERS = 200;
/** So many of the nodes that link to one are looked at when it has a new name. */
export const MOST_FOLLOWING = 200;

/** The text of a link that goes by the name of its node: one line, not too long; empty for no name. */
export function linkTextOf(name: string): string {
  const line = name.replaceAll(/\s+/g, " ").trim();
  if (line.length <= MOST_CHARACTERS) return line;
  const cut = line.slice(0, MOST_CHARACTERS);
  return cut.replace(/[\uD800-\uDBFF]$/, "").trimEnd();
}

/** The link text that a node's name makes now. */
export function linkTextOfNode(outline: OutlineView, key: NodeKey): string {
  return linkTextOf(plainText(outline.richText(key, "name")));
}

/** A link of the outline in a text. Offsets are in UTF-16 units. */
export interface NodeLinkPlace {
  readonly target: NodeKey;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The links to nodes in a text, in their order. What has one address without a gap is one link. */
export function nodeLinksIn(runs: readonly Run[]): readonly NodeLinkPlace[] {
  const places: NodeLinkPlace[] = [];
  let href: unknown;
  let at = 0;
  for (const { insert, attributes } of runs) {
    const address = attributes?.["a"];
    const target = typeof address === "string" ? nodeOfHref(address) : undefined;
    const last = places.at(-1);
    if (target !== undefined && address === href && last?.to === at) {
      const text = last.text + insert;
      places.splice(-1, 1, { ...last, to: at + insert.length, text });
    } else if (target !== undefined) {
      places.push({ target, from: at, to: at + insert.length, text: insert });
    }
    href = address;
    at += insert.length;
  }
  return places;
}

/**
 * Gives the links to a node the name that it has now, those that have been called by an earlier one: the
 * others have words of their own. Nothing for a node without a name. One transaction for each text.
 *
 * @param earlier link texts of earlier names
 * @param sources the nodes that link to it
 */
export function followName(
  outline: Outline,
  target: NodeKey,
  earlier: ReadonlySet<string>,
  sources: Iterable<NodeKey>,
): void {
  const name = linkTextOfNode(outline, target);
  if (name === "") return;
  let left = MOST_FOLLOWING;
  for (const key of sources) {
    if (left-- === 0) return;
    for (const part of ["name", "note"] as const) {
      const stale = nodeLinksIn(outline.richText(key, part)).filter(
        (link) => link.target === target && link.text !== name && earlier.has(link.text),
      );
      if (stale.length === 0) continue;
      outline.editText(key, part, (text) => {
        for (const link of stale.toReversed()) rename(text, link, name);
      });
    }
  }
}

/** Writes the difference alone: two devices that follow the same names end in the same text. */
function rename(text: Y.Text, { target, from, text: before }: NodeLinkPlace, name: string): void {
  const most = Math.min(before.length, name.length);
  let start = 0;
  while (start < most && before.charAt(start) === name.charAt(start)) start += 1;
  if (isInsidePair(name, start) || isInsidePair(before, start)) start -= 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === name.at(-1 - end)) end += 1;
  if (isInsidePair(name, name.length - end) || isInsidePair(before, before.length - end)) end -= 1;
  const removed = before.length - end - start;
  const formats = formatsAt(text, from + Math.min(start, before.length - 1));
  const added = name.slice(start, name.length - end);
  const at = from + start;
  // Before what goes is taken away: at its place, and in the link.
  if (added !== "") text.insert(at, added, { ...formats, a: formats["a"] ?? hrefOfNode(target) });
  if (removed > 0) text.delete(at + added.length, removed);
}

/** Whether a place is between the halves of a surrogate pair. */
function isInsidePair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

function formatsAt(text: Y.Text, offset: number): Readonly<Record<string, unknown>> {
  let at = 0;
  for (const { insert, attributes } of readRichText(text)) {
    at += insert.length;
    if (offset < at) return { ...attributes };
  }
  return {};
}
