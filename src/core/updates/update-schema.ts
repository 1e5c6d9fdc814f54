import { isNodeKey, isReservedKey, type NodeKey } from "../node-key.ts";
import { ATTRIBUTE, isSecond, SCHEMA_VERSION, VERSION } from "../schema.ts";
import { MAX_ENTITY_LENGTH } from "../text/entity.ts";
import { isHref } from "../text/href.ts";
import type { StructRecord } from "./update-reader.ts";
import type { AnyValue } from "./update-values.ts";

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
/** The time of the write behind a line break, and the client that stands behind it. */
const MAX_WRITE_TIME_LENGTH = 1 + 7 + 10;
/** The key of a node, the age of the shortcut, how it was written, and the time of the write. */
const MAX_SHORTCUT_VALUE_LENGTH = 12 + 7 + MAX_SHORTCUT_LENGTH + MAX_WRITE_TIME_LENGTH;
const MAX_PLACEMENT_LENGTH = 10_000;
const MAX_MARKER_LENGTH = 64;
const MAX_COMPLETIONS_LENGTH = 128;
/** Longer than what is shown: replicas put back what they have, however it came to be there. */
const MAX_FORMAT_LENGTH = 65_536;
const MAX_FOREIGN_FORMAT_LENGTH = 1_024;
/** Bytes of a setting or of an attribute that this version does not know. */
const MAX_FOREIGN_BYTES = 4_096;
/** Of a record of arrivals: several times what the server writes. */
const MAX_RECORD_BYTES = 65_536;

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
      return sub === null && (isOneOf(struct, isTime) || isRecord(struct));
    case "meta":
      return sub === VERSION ? isOneOf(struct, isKnownVersion) : isSetting(sub, struct);
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

/**
 * Whether a struct is a record of when things came (arrival-record.ts). Only the server makes these;
 * who brings them back after a restore is looked at by whoever knows whose ids they stand under.
 */
function isRecord({ content, start, end }: StructRecord): boolean {
  return content.kind === "binary" && end - start <= MAX_RECORD_BYTES;
}

function isNodeAttribute(name: string, struct: StructRecord): boolean {
  switch (name) {
    case ATTRIBUTE.placement:
      return isOneOf(struct, isShortString(MAX_PLACEMENT_LENGTH));
    case ATTRIBUTE.layout:
    case ATTRIBUTE.deletion:
      return isOneOf(struct, isShortString(MAX_MARKER_LENGTH));
    case ATTRIBUTE.completions:
      return isOneOf(struct, isShortString(MAX_COMPLETIONS_LENGTH));
    case ATTRIBUTE.origin:
      return isOneOf(
        struct,
        (value) => value === "" || (typeof value === "string" && isNodeKey(value)),
      );
    case ATTRIBUTE.completed:
      return isOneOf(struct, isCompletion);
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

/**
 * The schema: the server alone says it. What is here already, or was in an older document, may be said
 * once more: the server's own lost writes by devices after a restore, an older program's first write.
 */
function isKnownVersion(value: AnyValue): boolean {
  return (
    typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= SCHEMA_VERSION
  );
}

function isSetting(sub: string | null, struct: StructRecord): boolean {
  return sub !== null && NAME.test(sub) && isForeign(struct);
}

/** Unix seconds, negative ones for reopening, or 0. */
function isCompletion(value: AnyValue): boolean {
  return value === 0 || (typeof value === "number" && isSecond(Math.abs(value)));
}

/** Unix seconds up to the year 9999, or 0 for none. */
function isTime(value: AnyValue): boolean {
  return value === 0 || isSecond(value);
}
