import { beginningOf } from "./text/beginning-of.ts";
import type { NodeKey } from "./node-key.ts";
import type { Outline } from "./outline.ts";
import type { OutlineView } from "./outline-view.ts";
import { isInsidePair } from "./text/is-inside-pair.ts";
import { hrefOfNode, nodeOfHref } from "./text/node-link.ts";
import { type Formats, plainText, type Run } from "./text/rich-text.ts";
import type { DeltaOp } from "./text/text-merge.ts";

/** Of a link that is made by a node's name. */
const MOST_CHARACTERS = 200;
/** So many of the nodes that link to one are looked at when it has a new name. */
export const MOST_FOLLOWING = 200;
/** Links to one node in one text that follow its name. */
const MOST_LINKS = 100;
/** So many stretches of formats in a text, or links that follow, count as another node. */
const RUNS_OF_NODE = 100;
const LINKS_OF_NODE = 10;

/** The text of a link that goes by the name of its node: one line, not too long; empty for no name. */
export function linkTextOf(name: string): string {
  let line = "";
  for (const [word] of name.matchAll(/\S+/g)) {
    line += line === "" ? word : ` ${word}`;
    if (line.length > MOST_CHARACTERS) return beginningOf(line, MOST_CHARACTERS).trimEnd();
  }
  return line;
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
 * @param most of them that are looked at; what takes long to read or to write counts as several
 * @returns how many more might be looked at
 */
export function followName(
  outline: Outline,
  target: NodeKey,
  earlier: ReadonlySet<string>,
  sources: Iterable<NodeKey>,
  most = MOST_FOLLOWING,
): number {
  const name = linkTextOfNode(outline, target);
  let left = most;
  if (name === "") return left;
  for (const key of sources) {
    if (left <= 0) break;
    left -= 1;
    for (const part of ["name", "note"] as const) {
      const runs = outline.richText(key, part);
      const stale = nodeLinksIn(runs)
        .filter((link) => link.target === target && link.text !== name && earlier.has(link.text))
        .slice(0, MOST_LINKS);
      left -= Math.floor(runs.length / RUNS_OF_NODE) + Math.floor(stale.length / LINKS_OF_NODE);
      if (stale.length === 0) continue;
      outline.editText(key, part, (text) => text.applyDelta([...renamingOf(runs, stale, name)]));
    }
  }
  return left;
}

/** Writes the difference alone: two devices that follow the same names end in the same text. */
function renamingOf(
  runs: readonly Run[],
  links: readonly NodeLinkPlace[],
  name: string,
): readonly DeltaOp[] {
  const ops: DeltaOp[] = [];
  const formatsAt = formatsIn(runs);
  let passed = 0;
  for (const { target, from, text: before } of links) {
    const most = Math.min(before.length, name.length);
    let start = 0;
    while (start < most && before.charAt(start) === name.charAt(start)) start += 1;
    if (isInsidePair(name, start) || isInsidePair(before, start)) start -= 1;
    let end = 0;
    while (end < most - start && before.at(-1 - end) === name.at(-1 - end)) end += 1;
    if (isInsidePair(name, name.length - end) || isInsidePair(before, before.length - end))
      end -= 1;
    const removed = before.length - end - start;
    const added = name.slice(start, name.length - end);
    const formats = formatsAt(from + Math.min(start, before.length - 1));
    if (from + start > passed) ops.push({ retain: from + start - passed });
    // Before what goes is taken away: at its place, and in the link.
    const attributes = { ...formats, a: formats?.["a"] ?? hrefOfNode(target) };
    if (added !== "") ops.push({ insert: added, attributes });
    if (removed > 0) ops.push({ delete: removed });
    passed = from + start + removed;
  }
  return ops;
}

/** Tells the formats of ascending places in a text. */
function formatsIn(runs: readonly Run[]): (offset: number) => Formats | undefined {
  let index = 0;
  let end = runs[0]?.insert.length ?? 0;
  return (offset) => {
    while (offset >= end && index < runs.length) end += runs[++index]?.insert.length ?? 0;
    return runs[index]?.attributes;
  };
}
