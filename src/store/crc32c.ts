/**
 * CRC-32C (Castagnoli), by which LevelDB knows its blocks and log records; Node's own `crc32` is of
 * another polynomial. Eight bytes at a time, through eight tables.
 */
const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;
const TABLE_BYTES = 256 * 4;

const TABLES = makeTables();

function makeTables(): DataView {
  const tables = new DataView(new ArrayBuffer(SLICES * TABLE_BYTES));
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables.setInt32(byte * 4, crc, true);
  }
  // A further table holds what a byte comes to when another zero byte has followed it.
  for (let at = TABLE_BYTES; at < tables.byteLength; at += 4) {
    const crc = tables.getInt32(at - TABLE_BYTES, true);
    tables.setInt32(at, (crc >>> 8) ^ tables.getInt32((crc & 255) * 4, true), true);
  }
  return tables;
}

function entry(slice: number, byte: number): number {
  return TABLES.getInt32(slice * TABLE_BYTES + (byte & 255) * 4, true);
}

function crc32c({ buffer, byteOffset, byteLength }: Uint8Array): number {
  const bytes = new DataView(buffer, byteOffset, byteLength);
  let crc = -1;
  let at = 0;
  for (; at + SLICES <= byteLength; at += SLICES) {
    const low = crc ^ bytes.getInt32(at, true);
    const high = bytes.getInt32(at + 4, true);
    crc =
      entry(7, low) ^
      entry(6, low >>> 8) ^
      entry(5, low >>> 16) ^
      entry(4, low >>> 24) ^
      entry(3, high) ^
      entry(2, high >>> 8) ^
      entry(1, high >>> 16) ^
      entry(0, high >>> 24);
  }
  for (; at < byteLength; at += 1) crc = (crc >>> 8) ^ entry(0, crc ^ bytes.getUint8(at));
  return ~crc >>> 0;
}

/** As LevelDB stores it: turned and shifted, because a checksum of checksums is a weak one. */
export function maskedCrc32c(bytes: Uint8Array): number {
  return masked(crc32c(bytes));
}

/** The same byte by byte, for who looks for the place at which a checksum matches. */
export class GrowingCrc32c {
  #crc = -1;

  add(byte: number): void {
    this.#crc = (this.#crc >>> 8) ^ entry(0, this.#crc ^ byte);
  }

  get masked(): number {
    return masked(~this.#crc >>> 0);
  }
}

function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
