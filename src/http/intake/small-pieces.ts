/** Each piece of a body costs as much as hundreds of bytes, whatever is in it. */
const MIN_BYTES = 32;
const FREE_PIECES = 1000;

/** Whether a body comes in so small pieces that taking them in is work for nothing. */
export function isInSmallPieces(bytes: number, pieces: number): boolean {
  return pieces > FREE_PIECES && bytes < pieces * MIN_BYTES;
}
