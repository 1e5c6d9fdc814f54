import * as decoding from "lib0/decoding";

/** More clients than any outline has: a page of a stock client adds one with each load. */
const MAX_CLIENTS = 65_536;

/**
 * The clocks of an encoded Yjs state vector, by client; undefined when the bytes are none. Never
 * throws.
 */
export function readStateVector(bytes: Uint8Array): ReadonlyMap<number, number> | undefined {
  try {
    const decoder = decoding.createDecoder(bytes);
    const count = decoding.readVarUint(decoder);
    if (count > MAX_CLIENTS) return undefined;
    const clocks = new Map<number, number>();
    for (let index = 0; index < count; index++) {
      const client = decoding.readVarUint(decoder);
      const clock = decoding.readVarUint(decoder);
      if (!Number.isSafeInteger(client) || !Number.isSafeInteger(clock)) return undefined;
      clocks.set(client, clock);
    }
    // No client is in it twice.
    return clocks.size === count && !decoding.hasContent(decoder) ? clocks : undefined;
  } catch {
    // The decoder throws for what ends too early or is too large, and only for that.
    return undefined;
  }
}

/** True for the state vector of a new, empty document. */
export function hasNothing(stateVector: Uint8Array): boolean {
  return stateVector.length === 1 && stateVector[0] === 0;
}
