import { isNodeKey, isReservedKey, type NodeKey } from "./node-key.ts";
import { ATTRIBUTE } from "./schema.ts";
import { MAX_ENTITY_LENGTH } from "./text/entity.ts";
import { isHref } from "./text/href.ts";
import type { StructRecord } from "./update-reader.ts";
import { COMPOSITE, type AnyValue } from "./update-values.ts";

/**
 * What may stand where in an outline's document: the part of the schema that an update from outside
 * is held to. Values that later readers would stumble over are refused here, once, for all of them;
 * what a newer version may add (attributes, formats) passes when it is small and plain.
 */

/**
 * The lists of the document: the four roots, the text of a node's name and of its note (each with
 * the type's attributes), and `gone` for what was deleted and collected: what is put there never
 * shows.
 */
export type ListKind = "nodes" | "keys" | "clk" | "meta" | "name" | "note" | "gone";

/** `typeRef` of a Y.Text. */
const TEXT_TYPE = 2;

const MAX_SHORTCUT_LENGTH = 256;
/** The key of a node, the age of the shortcut, and how it was written. */
const MAX_SHORTCUT_VALUE_LENGTH = 12 + 7 + MAX_SHORTCUT_LENGTH;
const MAX_PLACEMENT_LENGTH = 10_000;
const MAX_MARKER_LENGTH = 64;
/** Longer than what is shown: replicas put back what they have, however it came to be there. */
const MAX_FORMAT_LENGTH = 65_536;
const MAX_FOREIGN_FORMAT_LENGTH = 1_024;
/** Bytes of a setting or of an attribute that this version does not know. */
const MAX_FOREIGN_BYTES = 4_096;

/** Names of attributes, formats and settings: `__proto__` and its like are none. */
const NAME = /^[A-Za-z][\w-]{0,63}$/;
const DATE = /^\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?$/;

/** Whether an attribute of a node holds the text of a note. */
export function isNoteAttribute(name: string): boolean {
  return name.startsWith(ATTRIBUTE.notePrefix) && NAME.test(name);
}

/**
 * Whether a struct may stand in a list, as the entry `sub` of its map part or, when `sub` is null,
 * in its sequence. What is deleted or collected may stand anywhere. A client that keeps what it
 * overwrites (with an undo manager, or `gc: false`) sends the values that an entry had one after the
 * other as one struct: each of them must be valid.
 */
export function isAllowed(list: ListKind, sub: string | null, struct: StructRecord): boolean {
  if (list === "gone") return true;
  // What an entry is set to follows what it was set to before, and precedes nothing.
  if (sub !== null && struct.rightOrigin !== undefined) return false;
  switch (list) {
    case "nodes":
      return sub !== null && isNodeKey(sub) && isText(struct) && !isInPlaceOfSeed(sub, struct);
    case "keys":
      return (
        sub !== null &&
        sub.length <= MAX_SHORTCUT_LENGTH &&
        isOneOf(struct, isShortString(MAX_SHORTCUT_VALUE_LENGTH))
      );
    case "clk":
      return sub === null && isOneOf(struct, isTime);
    case "meta":
      return sub !== null && NAME.test(sub) && isForeign(struct);
    case "name":
      return sub === null ? isRichText(struct) : isNodeAttribute(sub, struct);
    case "note":
      return sub === null ? isRichText(struct) : NAME.test(sub) && isForeign(struct);
    default:
      return list satisfies never;
  }
}

/**
 * The first text of a reserved node is its seed. What follows one that was there may be another: a
 * program that deleted it made it again, or took the deletion back.
 */
function isInPlaceOfSeed(key: NodeKey, { origin }: StructRecord): boolean {
  return isReservedKey(key) && origin === undefined;
}

function isNodeAttribute(name: string, struct: StructRecord): boolean {
  switch (name) {
    case ATTRIBUTE.placement:
      return isOneOf(struct, isShortString(MAX_PLACEMENT_LENGTH));
    case ATTRIBUTE.layout:
    case ATTRIBUTE.deletion:
      return isOneOf(struct, isShortString(MAX_MARKER_LENGTH));
    case ATTRIBUTE.completed:
    case ATTRIBUTE.modified:
      return isOneOf(struct, isTime);
    default:
      return isNoteAttribute(name) ? isText(struct) : NAME.test(name) && isForeign(struct);
  }
}

function isText({ content }: StructRecord): boolean {
  return content.kind === "deleted" || (content.kind === "type" && content.typeRef === TEXT_TYPE);
}

function isRichText({ content }: StructRecord): boolean {
  switch (content.kind) {
    case "text":
    case "deleted":
      return true;
    case "format":
      return isFormat(content.key, content.value);
    default:
      return false;
  }
}

function isFormat(key: string, value: AnyValue): boolean {
  if (value === null) return NAME.test(key);
  switch (key) {
    case "b":
    case "i":
    case "s":
    case "u":
    case "code":
      return value === true;
    case "a":
      return isShortString(MAX_FORMAT_LENGTH)(value) && isHref(String(value).trim());
    case "d":
      return typeof value === "string" && DATE.test(value);
    case "e":
      return isShortString(MAX_ENTITY_LENGTH)(value);
    case "mark":
    case "span":
      return isShortString(MAX_FORMAT_LENGTH)(value);
    default:
      return NAME.test(key) && (value === true || isShortString(MAX_FOREIGN_FORMAT_LENGTH)(value));
  }
}

/** Values that this version only keeps: plain and small. */
function isForeign({ content, start, end }: StructRecord): boolean {
  switch (content.kind) {
    case "deleted":
      return true;
    case "any":
      return content.longestBytes <= MAX_FOREIGN_BYTES;
    case "binary":
      return end - start <= MAX_FOREIGN_BYTES;
    default:
      return false;
  }
}

function isOneOf({ content }: StructRecord, isValid: (value: AnyValue) => boolean): boolean {
  if (content.kind === "deleted") return true;
  return content.kind === "any" && content.values.every((value) => isValid(value));
}

function isShortString(maxLength: number): (value: AnyValue) => boolean {
  return (value) => typeof value === "string" && value.length <= maxLength;
}

/** Unix seconds, or 0 for none. */
function isTime(value: AnyValue): boolean {
  return value !== COMPOSITE && Number.isSafeInteger(value) && Number(value) >= 0;
}
