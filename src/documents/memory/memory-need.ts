import { newRecentMap } from "../../charges/recent-map.ts";
import type { OutlineId } from "../../core/node-key.ts";
import type { StoredExtent } from "../log/outline-log.ts";

/** What opening an outline is expected to take. */
export interface MemoryNeed {
  readonly bytes: number;
  /** False for a guess: it may turn out to be a part of that, or several times as much. */
  readonly isKnown: boolean;
}

/** What a chunk of a snapshot has, and at least, where its memory is not noted: these are old. */
const CHUNK_BYTES = 400 * 1024;
/** Memory for a stored byte: 1 to 2 of long texts, some 20 of nodes as people write them, 29 at most. */
const USUAL_RATIO = 20;
/** An update of the log, of a keystroke or a node. */
const UPDATE_BYTES = 2_000;

const MAX_LEARNED = 10_000;

interface Learned {
  readonly epoch: string;
  readonly head: number;
  readonly bytes: number;
}

/**
 * Says what opening an outline will take, before anything of it is read: from what is noted with the
 * snapshot, or what an attempt has shown, or else guessed from how much is stored.
 */
export class MemoryNeeds {
  /** The last attempts that failed for want of memory [Q64]. */
  readonly #learned = newRecentMap<Learned, OutlineId>(MAX_LEARNED);

  of(outline: OutlineId, { head, epoch, snapshot }: StoredExtent): MemoryNeed {
    const learned = this.#learned.get(outline);
    if (learned?.head === head && learned.epoch === epoch) {
      return { bytes: learned.bytes, isKnown: true };
    }
    const tail = (head - (snapshot?.seq ?? 0)) * UPDATE_BYTES;
    if (snapshot === undefined) return { bytes: tail, isKnown: true };
    const { chunks, memoryBytes } = snapshot;
    const guess = chunks * CHUNK_BYTES * USUAL_RATIO;
    return { bytes: (memoryBytes ?? guess) + tail, isKnown: memoryBytes !== undefined };
  }

  /** An attempt to open what is stored now has shown that it takes so much, or more. */
  learn(outline: OutlineId, { epoch, head }: StoredExtent, bytes: number): void {
    this.#learned.set(outline, { epoch, head, bytes });
  }
}
