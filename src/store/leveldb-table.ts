import * as decoding from "lib0/decoding";

import { GrowingCrc32c, maskedCrc32c } from "./crc32c.ts";
import { tableEntry, textOf, TRAILER_BYTES, type LevelEntry } from "./leveldb-entry.ts";

/**
 * LevelDB's table format (doc/table_format.md of LevelDB): blocks, each followed by 1 byte of
 * compression and 4 bytes of checksum; then a block that says where they are and with which keys
 * they end; then a footer that says where that one is.
 */
const FOOTER_BYTES = 48;
const MAGIC = 0xdb4775248b80fb57n;
const CHECK_BYTES = 5;
const UNCOMPRESSED = 0;
/** One place to begin, and the number of them. */
const SMALLEST_BLOCK = 8;

interface BlockHandle {
  readonly offset: number;
  readonly size: number;
}

interface IndexedBlock extends BlockHandle {
  /** About the last key in it: none in it is greater. */
  readonly to: string;
}

/** A part of a table that can't be read: from behind one key up to another, as far as it is known. */
export interface LostKeys {
  readonly from?: string;
  readonly to?: string;
}

export interface DamagedBlock extends LostKeys {
  /** Position in the file. */
  readonly at: number;
}

/** The first block of a table that is not as it was written; undefined when there is none. */
export function damagedBlockOf(table: Uint8Array): DamagedBlock | undefined {
  const index = readIndex(table);
  if ("damagedAt" in index) return { at: index.damagedAt };
  let from: string | undefined;
  for (const block of index.blocks) {
    const { offset, to } = block;
    if (!isIntact(table, block)) {
      return { at: offset, to, ...(from === undefined ? {} : { from }) };
    }
    from = to;
  }
  return undefined;
}

/** All that can be read of a table, and where something can't. */
export function readTable(table: Uint8Array): {
  readonly entries: Iterable<LevelEntry>;
  readonly lost: readonly LostKeys[];
} {
  const index = readIndex(table);
  if ("damagedAt" in index) return readWithoutIndex(table);
  const lost: LostKeys[] = [];
  const intact: BlockHandle[] = [];
  let from: string | undefined;
  for (const block of index.blocks) {
    const { to } = block;
    if (isIntact(table, block)) intact.push(block);
    else lost.push(from === undefined ? { to } : { from, to });
    from = to;
  }
  return { entries: entriesOf(table, intact), lost };
}

/** Blocks stand one behind the other from the beginning on, and their checksums say where they end. */
function readWithoutIndex(table: Uint8Array): ReturnType<typeof readTable> {
  const blocks: BlockHandle[] = [];
  let offset = 0;
  for (;;) {
    const size = sizeOfBlockAt(table, offset);
    if (size === undefined) break;
    const block = { offset, size };
    // Those behind the data are of other kinds.
    if (!holdsEntries(table, block)) break;
    blocks.push(block);
    offset += size + CHECK_BYTES;
  }
  let from: string | undefined;
  for (const { key } of entriesOf(table, blocks.slice(-1))) from = key;
  return { entries: entriesOf(table, blocks), lost: [from === undefined ? {} : { from }] };
}

function holdsEntries(table: Uint8Array, block: BlockHandle): boolean {
  try {
    for (const _ of entriesOf(table, [block]));
    return true;
  } catch {
    return false;
  }
}

function sizeOfBlockAt(table: Uint8Array, offset: number): number | undefined {
  const end = table.byteLength - CHECK_BYTES;
  const bytes = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const crc = new GrowingCrc32c();
  for (let at = offset; at <= end; at += 1) {
    // The checksum covers the byte that says how the block is compressed.
    crc.add(table[at] ?? 0);
    if (table[at] !== UNCOMPRESSED || at < offset + SMALLEST_BLOCK) continue;
    if (bytes.getUint32(at + 1, true) === crc.masked) return at - offset;
  }
  return undefined;
}

function readIndex(
  table: Uint8Array,
): { readonly blocks: readonly IndexedBlock[] } | { readonly damagedAt: number } {
  const footerAt = table.byteLength - FOOTER_BYTES;
  if (footerAt < 0) return { damagedAt: 0 };
  const footer = new DataView(table.buffer, table.byteOffset + footerAt, FOOTER_BYTES);
  if (footer.getBigUint64(FOOTER_BYTES - 8, true) !== MAGIC) return { damagedAt: footerAt };
  try {
    const decoder = decoding.createDecoder(table.subarray(footerAt));
    const metaIndex = readHandle(decoder);
    const index = readHandle(decoder);
    for (const handle of [metaIndex, index]) {
      if (!isIntact(table, handle)) return { damagedAt: handle.offset };
    }
    const blocks: IndexedBlock[] = [];
    for (const { key, value } of recordsOf(table, index)) {
      const handle = readHandle(decoding.createDecoder(value));
      blocks.push({ ...handle, to: textOf(key.subarray(0, -TRAILER_BYTES)) });
    }
    return { blocks };
  } catch {
    return { damagedAt: footerAt };
  }
}

function readHandle(decoder: decoding.Decoder): BlockHandle {
  return { offset: decoding.readVarUint(decoder), size: decoding.readVarUint(decoder) };
}

function isIntact(table: Uint8Array, { offset, size }: BlockHandle): boolean {
  const end = offset + size + CHECK_BYTES;
  if (end > table.byteLength || table[offset + size] !== UNCOMPRESSED) return false;
  const stored = new DataView(table.buffer, table.byteOffset + end - 4, 4).getUint32(0, true);
  return stored === maskedCrc32c(table.subarray(offset, end - 4));
}

function* entriesOf(table: Uint8Array, blocks: readonly BlockHandle[]): Generator<LevelEntry> {
  for (const block of blocks) {
    for (const { key, value } of recordsOf(table, block)) yield tableEntry(key, value);
  }
}

/**
 * Entries share the beginning of their keys with the one before; the places to begin come last.
 * @throws when it is another kind of block
 */
function* recordsOf(
  table: Uint8Array,
  { offset, size }: BlockHandle,
): Generator<{ readonly key: Uint8Array; readonly value: Uint8Array }> {
  const block = table.subarray(offset, offset + size);
  const restarts = new DataView(block.buffer, block.byteOffset + block.byteLength - 4, 4);
  const end = block.byteLength - 4 * (1 + restarts.getUint32(0, true));
  if (end < 0) throw new Error("no block of records");
  const decoder = decoding.createDecoder(block.subarray(0, end));
  let key: Uint8Array = Buffer.alloc(0);
  while (decoding.hasContent(decoder)) {
    const shared = decoding.readVarUint(decoder);
    const own = decoding.readVarUint(decoder);
    const valueBytes = decoding.readVarUint(decoder);
    key = Buffer.concat([key.subarray(0, shared), decoding.readUint8Array(decoder, own)]);
    yield { key, value: decoding.readUint8Array(decoder, valueBytes) };
  }
}
