import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants, crc32 } from "node:zlib";

import type { Operation } from "./database.ts";
import { portableKey } from "./store-keys.ts";

/**
 * How values are stored: 4 bytes CRC-32, 1 byte codec, payload. The checksum covers the key as well,
 * so that neither a flipped bit nor a value under another key is ever taken for what it should be.
 * LevelDB alone would serve both: it does not verify its own checksums on reads.
 */
const HEADER_BYTES = 5;

const CODEC = { plain: 0, brotli: 1 } as const;

const COMPRESSION = {
  params: {
    // By measurement on outlines of 15 MB: 0.38 of the size at 11 ms a megabyte, unpacked at 4 ms.
    // Deflate's fastest level takes as long for 0.40 and unpacks half as fast.
    [constants.BROTLI_PARAM_QUALITY]: 3,
  },
};

const compress = promisify<Uint8Array, typeof COMPRESSION, Buffer>(brotliCompress);
const decompress = promisify<Uint8Array, Buffer>(brotliDecompress);

/** A value that is not what was written under its key. */
export class DamagedRecordError extends Error {
  override readonly name = "DamagedRecordError";
  readonly key: string;

  constructor(key: string, reason: string, cause?: unknown) {
    super(`the record ${key} is damaged: ${reason}`, { cause });
    this.key = key;
  }
}

function checksum(key: string, codecAndPayload: Uint8Array): number {
  return crc32(codecAndPayload, crc32(portableKey(key)));
}

function sealAs(codec: number, key: string, payload: Uint8Array): Uint8Array {
  const value = Buffer.allocUnsafe(HEADER_BYTES + payload.byteLength);
  value.set(payload, HEADER_BYTES);
  value[4] = codec;
  value.writeUInt32BE(checksum(key, value.subarray(4)), 0);
  return value;
}

/** The value to store for a payload under a key. */
export function seal(key: string, payload: Uint8Array): Uint8Array {
  return sealAs(CODEC.plain, key, payload);
}

/** Stores a payload under a key. */
export function putSealed(key: string, payload: Uint8Array): Operation {
  return { key, value: seal(key, payload) };
}

/** Like `seal`, and compressed off the main thread when that makes it smaller. */
export async function sealCompressed(key: string, payload: Uint8Array): Promise<Uint8Array> {
  const packed = await compress(payload, COMPRESSION);
  return packed.byteLength < payload.byteLength
    ? sealAs(CODEC.brotli, key, packed)
    : seal(key, payload);
}

/** @throws DamagedRecordError unless the value is one that was stored under this key */
export function requireIntact(key: string, value: Uint8Array): void {
  if (value.byteLength < HEADER_BYTES) throw new DamagedRecordError(key, "it is cut short");
  const { buffer, byteOffset } = value;
  const stored = new DataView(buffer, byteOffset).getUint32(0);
  if (stored !== checksum(key, value.subarray(4))) {
    throw new DamagedRecordError(key, "its checksum does not match");
  }
}

/** Whether a record is as it was written. */
export function isIntact(key: string, value: Uint8Array): boolean {
  try {
    requireIntact(key, value);
    return true;
  } catch (error) {
    if (error instanceof DamagedRecordError) return false;
    throw error;
  }
}

/** What is read, or what is made of it that a record is not as it was written. */
export async function unlessDamaged<T, Otherwise>(
  read: () => Promise<T>,
  otherwise: (damage: DamagedRecordError) => Otherwise,
): Promise<T | Otherwise> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DamagedRecordError) return otherwise(error);
    throw error;
  }
}

/**
 * The payload of a value that was stored by `seal`.
 * @throws DamagedRecordError
 */
export function unseal(key: string, value: Uint8Array): Uint8Array {
  requireIntact(key, value);
  if (value[4] !== CODEC.plain) throw new DamagedRecordError(key, "its codec is unknown");
  return payloadOf(value);
}

/**
 * The payload of a value that was stored by `seal` or `sealCompressed`.
 * @throws DamagedRecordError
 */
export async function unsealCompressed(key: string, value: Uint8Array): Promise<Uint8Array> {
  requireIntact(key, value);
  if (value[4] === CODEC.plain) return payloadOf(value);
  if (value[4] !== CODEC.brotli) throw new DamagedRecordError(key, "its codec is unknown");
  try {
    const { buffer, byteOffset, byteLength } = await decompress(payloadOf(value));
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch (cause) {
    throw new DamagedRecordError(key, "it can't be unpacked", cause);
  }
}

/** The size of a payload that `seal` has stored. */
export function payloadBytes(value: Uint8Array): number {
  return Math.max(0, value.byteLength - HEADER_BYTES);
}

function payloadOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset + HEADER_BYTES, byteLength - HEADER_BYTES);
}
