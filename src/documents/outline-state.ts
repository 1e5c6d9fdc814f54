import type * as Y from "yjs";
import type { SizeCounts } from "../core/outline-size.ts";

/**
 * The document of an outline in memory, and all that is made of it as bytes. Who reads, writes and
 * repairs works on the document and encodes none of it: whether all of it is there is known here alone.
 */
export interface OutlineState {
  readonly doc: Y.Doc;
  /** What of it takes memory, and how many have written to it. */
  readonly size: SizeCounts;
  /** What it has, as Yjs encodes it. */
  stateVector(): Uint8Array;
  /** Makes what each difference needs, in steps, as far as it is not there. */
  prepare(): Generator<void>;
  /**
   * What a replica with these clocks lacks, as updates to be applied in this order: one when that is
   * little, else chunks. All say what was there when the first one was asked for, and may have later
   * deletions.
   */
  diff(known: ReadonlyMap<number, number>): Generator<Uint8Array, void>;
  /** All of it, as a snapshot has it: see `Snapshot`. */
  chunks(): Generator<Uint8Array, void>;
  /** Applies an update that was judged. @throws when that can't be, or leaves something pending */
  apply(update: Uint8Array, origin: symbol): void;
  /** Lets go of it. */
  destroy(): void;
}
