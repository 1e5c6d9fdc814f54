import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import type { ChangedNodes } from "../../core/change-recorder.ts";
import type { NodeKey } from "../../core/node-key.ts";
import { NOWHERE, type ShownPlace } from "../../core/tree/places-before.ts";

/** Which nodes changed at once, as it is read. */
export interface StoredChanges {
  /** Unix seconds. */
  readonly at: number;
  readonly count: number;
  /**
   * Reads them one by one, once.
   * @throws Error for bytes that `encodeChanges` has not written
   */
  readonly changed: Iterable<readonly [NodeKey, ShownPlace | undefined]>;
}

const VERSION = 1;
const KEY_BYTES = 6;
/** A key, a word, and the key of a parent. */
const MOST_OF_CHANGE = KEY_BYTES + 1 + KEY_BYTES;

const CONTENT = 0;
const WAS_NOWHERE = 1;
const WAS_SHOWN = 2;
const WAS_HIDDEN = 3;

/**
 * 7 bytes for a node whose content has changed, 13 for one that was moved.
 * @param at Unix seconds
 */
export function encodeChanges(at: number, changed: ChangedNodes): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, VERSION);
  encoding.writeVarUint(encoder, at);
  encoding.writeVarUint(encoder, changed.size);
  const bytes = Buffer.allocUnsafe(changed.size * MOST_OF_CHANGE);
  let end = 0;
  for (const [key, before] of changed) {
    end += bytes.write(key, end, "hex");
    end = bytes.writeUInt8(wordOf(before), end);
    if (before?.parent !== undefined) end += bytes.write(before.parent, end, "hex");
  }
  encoding.writeUint8Array(encoder, bytes.subarray(0, end));
  return encoding.toUint8Array(encoder);
}

/** @throws Error for bytes that `encodeChanges` has not written */
export function decodeChanges(bytes: Uint8Array): StoredChanges {
  const decoder = decoding.createDecoder(bytes);
  if (decoding.readVarUint(decoder) !== VERSION) throw new Error("changes of another version");
  const at = decoding.readVarUint(decoder);
  const count = decoding.readVarUint(decoder);
  return { at, count, changed: changesIn(bytes.subarray(decoder.pos), count) };
}

function* changesIn(
  bytes: Uint8Array,
  count: number,
): Generator<readonly [NodeKey, ShownPlace | undefined]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  for (let read = 0; read < count; read++) {
    const key = keyAt(buffer, at);
    const word = buffer.readUInt8(at + KEY_BYTES);
    at += KEY_BYTES + 1;
    if (word === CONTENT) yield [key, undefined];
    else if (word === WAS_NOWHERE) yield [key, NOWHERE];
    else {
      yield [key, { parent: keyAt(buffer, at), isHidden: word === WAS_HIDDEN }];
      at += KEY_BYTES;
    }
  }
}

function wordOf(before: ShownPlace | undefined): number {
  if (before === undefined) return CONTENT;
  if (before.parent === undefined) return WAS_NOWHERE;
  return before.isHidden ? WAS_HIDDEN : WAS_SHOWN;
}

function keyAt(buffer: Buffer, at: number): NodeKey {
  if (at + KEY_BYTES > buffer.length) throw new Error("a change is cut off");
  return buffer.toString("hex", at, at + KEY_BYTES) as NodeKey;
}
