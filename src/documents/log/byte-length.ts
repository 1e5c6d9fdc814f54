/** Memory that an update of the log takes beside its bytes. */
export const UPDATE_BYTES = 200;

/** Of all parts together. */
export function byteLengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
}

/** Memory that updates of the log take, estimated. */
export function memoryOf(updates: readonly Uint8Array[]): number {
  return byteLengthOf(updates) + updates.length * UPDATE_BYTES;
}
