import { MessageReader } from "./message-reader.ts";

/** More clients than any outline has: a page of a stock client adds one with each load. */
const MAX_CLIENTS = 65_536;

/**
 * The clocks of an encoded Yjs state vector, by client; undefined when the bytes are none. Never
 * throws.
 */
export function readStateVector(bytes: Uint8Array): ReadonlyMap<number, number> | undefined {
  const reader = new MessageReader(bytes);
  const count = reader.uint();
  if (count > MAX_CLIENTS) return undefined;
  const clocks = new Map<number, number>();
  for (let index = 0; reader.ok && index < count; index++) clocks.set(reader.uint(), reader.uint());
  // No client is in it twice.
  return reader.complete && clocks.size === count ? clocks : undefined;
}

/** True for the state vector of a new, empty document. */
export function hasNothing(stateVector: Uint8Array): boolean {
  return stateVector.length === 1 && stateVector[0] === 0;
}
