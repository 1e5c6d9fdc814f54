import type { ChunkPlace, Snapshot } from "../documents/log/outline-log.ts";

/*
 * The parts of a snapshot are records of their own, by number: the state vector, the annex, then the
 * chunks.
 */

export const STATE_VECTOR = 0;
export const FIRST_CHUNK = 2;

/** What a snapshot consists of, in the order of its parts. */
export function partsOf({ stateVector, annex, chunks }: Snapshot): readonly Uint8Array[] {
  return [stateVector, annex, ...chunks];
}

export function partOf(index: ChunkPlace["index"]): number {
  return index === "state_vector" ? STATE_VECTOR : FIRST_CHUNK + index;
}
