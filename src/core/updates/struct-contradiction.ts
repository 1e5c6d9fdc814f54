import { countWhile } from "../count-while.ts";
import * as Y from "yjs";
import { holderOf } from "../yjs/inside.ts";
import { itemsBetween } from "../yjs/struct-store.ts";

/**
 * Whether an item of another replica says something else than a document about the clocks that both
 * have: somebody has written under one client id in two places. What was deleted or collected says
 * nothing any more.
 */
export function contradictsKnown(doc: Y.Doc, sent: Y.Item): boolean {
  return firstContradiction(doc, sent) !== undefined;
}

/** The first clock about which an item of another replica says something else than a document. */
export function firstContradiction(doc: Y.Doc, sent: Y.Item): number | undefined {
  const { client, clock } = sent.id;
  const end = clock + sent.length;
  for (const known of itemsBetween(doc, client, clock, end)) {
    const from = Math.max(known.id.clock, clock);
    const to = Math.min(known.id.clock + known.length, end);
    if (differs(known, sent, from, to)) return firstDifference(known, sent, from, to);
  }
  return undefined;
}

/** Where two items that differ in the clocks `[from, to)` begin to. */
function firstDifference(known: Y.Item, sent: Y.Item, from: number, to: number): number {
  return from + countWhile(to - from - 1, (more) => !differs(known, sent, from, from + more + 1));
}

/** Compares what two items that overlap in the clocks `[from, to)` say there. */
function differs(known: Y.Item, sent: Y.Item, from: number, to: number): boolean {
  if (!Y.compareIDs(originAt(known, from), originAt(sent, from))) return true;
  if (!Y.compareIDs(known.rightOrigin, sent.rightOrigin)) return true;
  if (isElsewhere(known, sent)) return true;
  // The content of what was deleted is gone, from either side.
  if (known.content instanceof Y.ContentDeleted || sent.content instanceof Y.ContentDeleted) {
    return false;
  }
  const knownPart = partOf(known, from, to);
  // Where an item was cut within a surrogate pair, Yjs has put U+FFFD in the place of both halves.
  return !knownPart.includes("\uFFFD") && knownPart !== partOf(sent, from, to);
}

/** Items without neighbours say where they belong: to which type, and under which name. */
function isElsewhere({ parent, parentSub }: Y.Item, sent: Y.Item): boolean {
  if (sent.origin !== null || sent.rightOrigin !== null) return false;
  if (sent.parentSub !== parentSub) return true;
  if (!(parent instanceof Y.AbstractType)) return false;
  if (sent.parent instanceof Y.ID) return !Y.compareIDs(holderOf(parent)?.id ?? null, sent.parent);
  return typeof sent.parent === "string" && parent.doc?.share.get(sent.parent) !== parent;
}

/** What stood left of a clock inside an item when it was written. */
function originAt(item: Y.Item, clock: number): Y.ID | null {
  return clock === item.id.clock ? item.origin : Y.createID(item.id.client, clock - 1);
}

/** The content between two clocks, as text that is the same for the same content. */
function partOf({ id, content }: Y.Item, from: number, to: number): string {
  const kind = content.constructor.name;
  if (content instanceof Y.ContentType) return `${kind} ${content.type.constructor.name}`;
  if (content instanceof Y.ContentFormat) {
    return `${kind} ${content.key} ${JSON.stringify(content.value)}`;
  }
  // The content of a text would be an array with a string for each of its characters.
  if (content instanceof Y.ContentString) {
    return `${kind} ${content.str.slice(from - id.clock, to - id.clock)}`;
  }
  const values = content.getContent().slice(from - id.clock, to - id.clock);
  return `${kind} ${JSON.stringify(values)}`;
}
