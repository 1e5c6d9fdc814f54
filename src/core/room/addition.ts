import type * as Y from "yjs";
import { isNodeKey, isReservedKey } from "../node-key.ts";
import type { NodePatch } from "../node/node-patch.ts";
import type { ContentEdit } from "../node/node-writer.ts";
import { BYTES } from "./outline-size.ts";
import { ATTRIBUTE, notesOf } from "../schema.ts";
import { MAX_FORMAT_MARKS } from "../text/text-limits.ts";
import type { UpdatePlan } from "../updates/update-plan.ts";
import type { StructRecord } from "../updates/update-reader.ts";
import { COMPOSITE } from "../updates/update-values.ts";

/** What a change adds to an outline, at most. */
export interface Addition {
  readonly nodes: number;
  /** Of memory, as `OutlineSize` counts it. */
  readonly bytes: number;
  /** Mirrors among the nodes; none when it does not say. */
  readonly mirrors?: number;
  /** It adds no text: it completes, moves or deletes nodes, or takes something away. */
  readonly isUpkeep: boolean;
}

/** What a node may have beside its place: a layout, completion, a time mark and a stamp. */
const MOST_ATTRIBUTES = 4;
const BYTES_OF_ATTRIBUTE = BYTES.struct + BYTES.value;
/** With its place, whose text takes up to fifty characters. */
const BYTES_OF_NODE = BYTES.row + BYTES_OF_ATTRIBUTE + 50 * BYTES.character;
const BYTES_OF_TEXT = BYTES.type + 2 * BYTES.struct;
/** Where the format may change: two marks, two texts between them, and the text of a date. */
const BYTES_OF_MARK = 4 * BYTES.struct + 2 * BYTES.value;
const MARK = /[*~`[<&]/g;

/** Nodes on the way to a day, and texts that the seeds of inbox, year and month bring. */
const CHAIN = { nodes: 4, texts: 36, bytesOfText: BYTES_OF_TEXT + 3 * BYTES.struct + 64 };

/** Completing, reopening or moving a node, a setting or a shortcut. */
export const UPKEEP: Addition = {
  nodes: 0,
  bytes: 4 * (BYTES.struct + BYTES.value) + 1024,
  isUpkeep: true,
};

/** Making a reserved node, with those that it is in. */
export const ADDED_CHAIN: Addition = {
  nodes: CHAIN.nodes,
  bytes:
    CHAIN.nodes * (BYTES_OF_NODE + MOST_ATTRIBUTES * BYTES_OF_ATTRIBUTE) +
    CHAIN.texts * CHAIN.bytesOfText,
  isUpkeep: false,
};

/**
 * New nodes.
 * @param name of one, or of all of them, a line for each; as it came, in markdown or HTML
 * @param attributes how many each has beside its place, at most
 */
export function addedNodes(
  count: number,
  name: string,
  note: string,
  attributes = MOST_ATTRIBUTES,
): Addition {
  const each = BYTES_OF_NODE + BYTES_OF_TEXT + attributes * BYTES_OF_ATTRIBUTE;
  const bytes = count * each + bytesInText(name, count) + addedTexts([note]).bytes;
  return { nodes: count, bytes, isUpkeep: false };
}

/** A mirror, which has no text. */
export const ADDED_MIRROR: Addition = { ...addedNodes(1, "", ""), mirrors: 1 };

/** What names and notes as they came become, at most. */
export function addedTexts(texts: readonly string[]): Addition {
  let bytes = 0;
  for (const text of texts) if (text !== "") bytes += BYTES_OF_TEXT + bytesInText(text, 1);
  return { nodes: 0, bytes, isUpkeep: false };
}

/** @param count how many nodes' names it may be */
function bytesInText(text: string, count: number): number {
  return text.length * BYTES.character + marksIn(text, count) * BYTES_OF_MARK;
}

/** What an edit adds. One that makes name and note no longer is upkeep: it makes room. A merge may not. */
export function additionOfEdit(text: Y.Text, edit: ContentEdit, patch: NodePatch): Addition {
  if (edit.name === undefined && edit.note === undefined) return UPKEEP;
  const name = edit.name === undefined ? "" : (patch.name ?? "");
  const note = edit.note === undefined ? "" : (patch.note ?? "");
  const noteLength = notesOf(text).reduce((length, each) => length + each.length, 0);
  const isMerge = patch.base !== undefined || patch.noteBase !== undefined;
  const isUpkeep = !isMerge && name.length <= text.length && note.length <= noteLength;
  return { ...addedTexts([name, note]), isUpkeep };
}

export function sumOf(one: Addition, other: Addition): Addition {
  const mirrors = (one.mirrors ?? 0) + (other.mirrors ?? 0);
  return {
    nodes: one.nodes + other.nodes,
    bytes: one.bytes + other.bytes,
    ...(mirrors > 0 && { mirrors }),
    isUpkeep: one.isUpkeep && other.isUpkeep,
  };
}

/**
 * What an update from outside adds, what it takes away left out; in time linear in its structs and
 * ranges. @param isKnown whether a client has written before
 */
export function additionOf(
  { runs, deletes }: UpdatePlan,
  isKnown: (client: number) => boolean,
): Addition {
  let texts = 0;
  let places = 0;
  let bytes = 0;
  let isUpkeep = true;
  const clients = new Set<number>();
  for (const { client, structs, from, to } of runs) {
    if (!isKnown(client)) clients.add(client);
    for (let index = from; index < to; index++) {
      const struct = structs[index];
      if (struct === undefined) continue;
      bytes += bytesOfStruct(struct);
      // The first place that is written for a node makes a row of it; later ones name no attribute.
      // A text without a place has a row too.
      if (struct.parentSub === ATTRIBUTE.placement) places++;
      else if (isTextOfNode(struct)) texts++;
      if (struct.content.kind !== "any") isUpkeep = false;
    }
  }
  // What is deleted in the middle of a text leaves three pieces of one.
  for (const { ranges } of deletes) bytes += (ranges.length / 2) * 2 * BYTES.struct;
  const nodes = Math.max(places, texts);
  bytes += nodes * BYTES.row + clients.size * BYTES.client;
  return { nodes, bytes, isUpkeep };
}

/** Seeds bring texts that have no row before they have a place. */
function isTextOfNode({ content, parent, parentSub }: StructRecord): boolean {
  if (content.kind !== "type" || typeof parent !== "string" || parentSub === undefined)
    return false;
  return isNodeKey(parentSub) && !isReservedKey(parentSub);
}

function bytesOfStruct({ content, length, origin, rightOrigin, start, end }: StructRecord): number {
  // It may cut what it is put behind, and what it is put before.
  const cuts = (origin === undefined ? 0 : 1) + (rightOrigin === undefined ? 0 : 1);
  return (1 + cuts) * BYTES.struct + bytesOfContent(content, length, end - start);
}

function bytesOfContent(
  content: StructRecord["content"],
  length: number,
  writtenBytes: number,
): number {
  switch (content.kind) {
    case "text":
      return length * BYTES.character;
    case "type":
      return BYTES.type;
    case "any": {
      const isNested = content.values.includes(COMPOSITE);
      return length * BYTES.value + writtenBytes * (isNested ? BYTES.nested : BYTES.character);
    }
    case "format":
    case "binary":
      return writtenBytes * BYTES.character;
    case "gc":
    case "skip":
    case "deleted":
      return 0;
  }
}

/** Places at which the format may change: what has more of them is refused, or keeps fewer. */
function marksIn(text: string, nodes: number): number {
  const most = nodes * MAX_FORMAT_MARKS;
  let count = 0;
  for (const _ of text.matchAll(MARK)) if (++count >= most) break;
  return count;
}
