import * as decoding from "lib0/decoding";

import { maskedCrc32c } from "./crc32c.ts";

/**
 * LevelDB's table format (doc/table_format.md of LevelDB): blocks, each followed by 1 byte of
 * compression and 4 bytes of checksum; then a block that says where they are and with which keys
 * they end; then a footer that says where that one is.
 */
const FOOTER_BYTES = 48;
const MAGIC = 0xdb4775248b80fb57n;
const TRAILER_BYTES = 5;
const UNCOMPRESSED = 0;
/** Of the key that LevelDB makes of ours: what follows it is a number of its own. */
const INTERNAL_BYTES = 8;

interface BlockHandle {
  readonly offset: number;
  readonly size: number;
}

export interface DamagedBlock {
  /** Position in the file. */
  readonly at: number;
  /** The records in it have keys from here, when that is known … */
  readonly from?: string;
  /** … to about here. */
  readonly to?: string;
}

/** The first block of a table that is not as it was written; undefined when there is none. */
export function damagedBlockOf(table: Uint8Array): DamagedBlock | undefined {
  const footerAt = table.byteLength - FOOTER_BYTES;
  if (footerAt < 0) return { at: 0 };
  const footer = new DataView(table.buffer, table.byteOffset + footerAt, FOOTER_BYTES);
  if (footer.getBigUint64(FOOTER_BYTES - 8, true) !== MAGIC) return { at: footerAt };
  const decoder = decoding.createDecoder(table.subarray(footerAt));
  const metaIndex = readHandle(decoder);
  const index = readHandle(decoder);
  for (const handle of [metaIndex, index]) {
    if (!isIntact(table, handle)) return { at: handle.offset };
  }
  if (table[index.offset + index.size] !== UNCOMPRESSED) return undefined;
  let from: string | undefined;
  for (const { key, handle } of readIndex(
    table.subarray(index.offset, index.offset + index.size),
  )) {
    if (!isIntact(table, handle)) {
      return { at: handle.offset, to: key, ...(from === undefined ? {} : { from }) };
    }
    from = key;
  }
  return undefined;
}

function readHandle(decoder: decoding.Decoder): BlockHandle {
  return { offset: decoding.readVarUint(decoder), size: decoding.readVarUint(decoder) };
}

function isIntact(table: Uint8Array, { offset, size }: BlockHandle): boolean {
  const end = offset + size + TRAILER_BYTES;
  if (end > table.byteLength) return false;
  const stored = new DataView(table.buffer, table.byteOffset + end - 4, 4).getUint32(0, true);
  return stored === maskedCrc32c(table.subarray(offset, end - 4));
}

/** Entries share the beginning of their keys with the one before; the places to begin come last. */
function* readIndex(block: Uint8Array): Generator<{ key: string; handle: BlockHandle }> {
  const restarts = new DataView(block.buffer, block.byteOffset + block.byteLength - 4, 4);
  const end = block.byteLength - 4 * (1 + restarts.getUint32(0, true));
  const decoder = decoding.createDecoder(block.subarray(0, end));
  let key: Uint8Array = Buffer.alloc(0);
  while (decoding.hasContent(decoder)) {
    const shared = decoding.readVarUint(decoder);
    const own = decoding.readVarUint(decoder);
    const valueBytes = decoding.readVarUint(decoder);
    key = Buffer.concat([key.subarray(0, shared), decoding.readUint8Array(decoder, own)]);
    const value = decoding.createDecoder(decoding.readUint8Array(decoder, valueBytes));
    const text = Buffer.from(key.subarray(0, -INTERNAL_BYTES)).toString();
    yield { key: text, handle: readHandle(value) };
  }
}
