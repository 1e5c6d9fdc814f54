import * as decoding from "lib0/decoding";
import { malformed, tooLarge } from "./update-unreadable.ts";

/** Stands for an array or an object; they are checked and skipped. */
export const COMPOSITE = Symbol("composite");

/** A value in an update, as far as anybody looks at it. */
export type AnyValue = string | number | boolean | null | undefined | typeof COMPOSITE;

export interface ReadValues {
  readonly values: readonly AnyValue[];
  /** Encoded bytes of the longest of them. */
  readonly longestBytes: number;
}

const MAX_DEPTH = 8;
/** Longer JSON than that is no formatting value. */
const MAX_FORMAT_LENGTH = 65_536;

/** Tags of lib0's encoding `any` (lib0 `encoding.js`, `writeAny`). */
const TAG = {
  array: 117,
  object: 118,
  string: 119,
  true: 120,
  false: 121,
  float64: 123,
  float32: 124,
  integer: 125,
  null: 126,
  undefined: 127,
} as const;

/**
 * The values of an `any` content. Only those that JSON has: others (big integers, bytes) can't be
 * shown or exported.
 * @throws UpdateUnreadable for other values, deep nesting, and `__proto__` as a key
 */
export function readValues(decoder: decoding.Decoder): ReadValues {
  const values: AnyValue[] = [];
  let longestBytes = 0;
  for (let left = readCount(decoder); left > 0; left--) {
    const start = decoder.pos;
    values.push(readValue(decoder, 0));
    longestBytes = Math.max(longestBytes, decoder.pos - start);
  }
  return { values, longestBytes };
}

function readValue(decoder: decoding.Decoder, depth: number): AnyValue {
  if (depth > MAX_DEPTH) throw malformed("nesting");
  const tag = decoder.arr[decoder.pos++];
  switch (tag) {
    case TAG.undefined:
      return undefined;
    case TAG.null:
      return null;
    case TAG.integer:
      return decoding.readVarInt(decoder);
    case TAG.float32:
      return decoding.readFloat32(decoder);
    case TAG.float64:
      return decoding.readFloat64(decoder);
    case TAG.false:
      return false;
    case TAG.true:
      return true;
    case TAG.string:
      return decoding.readVarString(decoder);
    case TAG.object:
    case TAG.array:
      for (let left = readCount(decoder); left > 0; left--) {
        if (tag === TAG.object && decoding.readVarString(decoder) === "__proto__") {
          throw malformed("key");
        }
        readValue(decoder, depth + 1);
      }
      return COMPOSITE;
    default:
      throw malformed("value");
  }
}

/** The value of a formatting mark, which is JSON. @throws UpdateUnreadable, SyntaxError */
export function readFormatValue(decoder: decoding.Decoder): AnyValue {
  const json = decoding.readVarString(decoder);
  if (json.length > MAX_FORMAT_LENGTH) throw tooLarge("characters of a format");
  const value: unknown = JSON.parse(json);
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return value;
    default:
      return value === null ? null : COMPOSITE;
  }
}

/** A number of things of which each takes a byte or more. */
export function readCount(decoder: decoding.Decoder): number {
  const count = decoding.readVarUint(decoder);
  if (count > decoder.arr.length - decoder.pos) throw malformed("end inside a list");
  return count;
}
