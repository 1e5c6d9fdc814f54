import * as Y from "yjs";

/*
 * Updates that are stored, looked at without making a document of them. They were written by Yjs or as
 * Yjs writes them.
 */

/** The clocks behind the structs that an update has, by client. */
export function endsOf(update: Uint8Array): ReadonlyMap<number, number> {
  return Y.parseUpdateMeta(update).to;
}

/** Whether an update has no structs: it deletes, at most. */
export function addsNothing(update: Uint8Array): boolean {
  return update[0] === 0;
}

/** What an update deletes. */
export function deletesIn(
  update: Uint8Array,
): ReadonlyMap<number, readonly { readonly clock: number; readonly len: number }[]> {
  return Y.decodeUpdate(update).ds.clients;
}

/**
 * What an update has beyond an encoded state vector, and all that it deletes: a state vector says
 * nothing of deletions. Undefined when that is nothing.
 */
export function lackedOf(update: Uint8Array, stateVector: Uint8Array): Uint8Array | undefined {
  const lacked = addsNothing(update) ? update : Y.diffUpdate(update, stateVector);
  return addsNothing(lacked) && lacked[1] === 0 ? undefined : lacked;
}

export function encodeClocks(clocks: ReadonlyMap<number, number>): Uint8Array {
  return Y.encodeStateVector(new Map(clocks));
}
