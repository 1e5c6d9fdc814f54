import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import type { ChangedNodes } from "../core/change-recorder.ts";
import { isNodeKey, type NodeKey } from "../core/node-key.ts";
import { NOWHERE, type ShownPlace } from "../core/places-before.ts";

/** Which nodes changed at once, as it is stored. */
export interface RecordedChanges {
  /** Unix seconds. */
  readonly at: number;
  readonly changed: ChangedNodes;
}

const VERSION = 1;
const KEY_BYTES = 6;

const CONTENT = 0;
const WAS_NOWHERE = 1;
const WAS_SHOWN = 2;
const WAS_HIDDEN = 3;

/** Some 7 bytes for a node whose content has changed, 13 for one that was moved. */
export function encodeChanges({ at, changed }: RecordedChanges): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, VERSION);
  encoding.writeVarUint(encoder, at);
  encoding.writeVarUint(encoder, changed.size);
  for (const [key, before] of changed) {
    writeKey(encoder, key);
    encoding.writeVarUint(encoder, wordOf(before));
    if (before?.parent !== undefined) writeKey(encoder, before.parent);
  }
  return encoding.toUint8Array(encoder);
}

/** @throws Error for bytes that `encodeChanges` has not written */
export function decodeChanges(bytes: Uint8Array): RecordedChanges {
  const decoder = decoding.createDecoder(bytes);
  if (decoding.readVarUint(decoder) !== VERSION) throw new Error("changes of another version");
  const at = decoding.readVarUint(decoder);
  const count = decoding.readVarUint(decoder);
  const changed = new Map<NodeKey, ShownPlace | undefined>();
  for (let read = 0; read < count; read++) {
    const key = readKey(decoder);
    changed.set(key, readPlace(decoder, decoding.readVarUint(decoder)));
  }
  return { at, changed };
}

function wordOf(before: ShownPlace | undefined): number {
  if (before === undefined) return CONTENT;
  if (before.parent === undefined) return WAS_NOWHERE;
  return before.isHidden ? WAS_HIDDEN : WAS_SHOWN;
}

function readPlace(decoder: decoding.Decoder, word: number): ShownPlace | undefined {
  if (word === CONTENT) return undefined;
  if (word === WAS_NOWHERE) return NOWHERE;
  return { parent: readKey(decoder), isHidden: word === WAS_HIDDEN };
}

function writeKey(encoder: encoding.Encoder, key: NodeKey): void {
  encoding.writeUint8Array(encoder, Buffer.from(key, "hex"));
}

function readKey(decoder: decoding.Decoder): NodeKey {
  const key = Buffer.from(decoding.readUint8Array(decoder, KEY_BYTES)).toString("hex");
  if (!isNodeKey(key)) throw new Error("no key of a node");
  return key;
}
