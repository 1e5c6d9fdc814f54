import type { Random } from "../node-key.ts";

/** Ids below belong to servers and seeds. */
const FIRST_FREE_CLIENT = 2 ** 28;

/** A client id that hardly anybody else has. */
export function randomClient(random: Random): number {
  return FIRST_FREE_CLIENT + Math.floor(random() * (2 ** 32 - FIRST_FREE_CLIENT));
}

/** The same, out of four random bytes or more. */
export function clientOfBytes(bytes: Uint8Array): number {
  const four = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  return randomClient(() => four / 2 ** 32);
}
