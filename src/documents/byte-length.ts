/** Of all parts together. */
export function byteLengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
}
