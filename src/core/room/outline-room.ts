import type * as Y from "yjs";
import { type Addition, additionOfEdit } from "./addition.ts";
import * as additions from "./addition.ts";
import type { NodeKey } from "../node-key.ts";
import type { OutlineFull } from "./outline-full.ts";
import { BYTES, bytesOf, type OutlineSize } from "./outline-size.ts";
import { fullOfSeeds, newSeedsFor } from "./seed-limit.ts";
import type { TreeIndex } from "../tree/tree-index.ts";

/** What an outline may have; what a server's replica is held to. */
export interface OutlineLimits {
  /** Known ones: also those in the trash and those that wait for their removal. */
  readonly maxNodes: number;
  /** Of memory, as `OutlineSize` counts it. */
  readonly maxBytes: number;
  /** The same with all that is upkeep. */
  readonly maxUpkeepBytes: number;
}

/** What the room of an outline follows from. */
export interface OutlineSizing {
  /** Of the outline's document. */
  readonly size: OutlineSize;
  readonly limits: OutlineLimits;
  /** Whether the process has memory for it when it takes so many bytes in all. */
  readonly mayTake: (bytes: number) => boolean;
}

/**
 * Of what an outline may have: how much further it may grow by what adds no text, by completing, moving
 * and deleting. So whoever has a full outline, or one that was too large before, can put it in order.
 */
const UPKEEP_SHARE = 1 / 16;

/** From here on an outline is tight: what can make room is not put off. */
const TIGHT_SHARE = 15 / 16;

/** How much room is left in an outline. */
export class OutlineRoom {
  /** How to count what a change adds: devices, which have no room, do without. */
  readonly additions = additions;
  readonly #doc: Y.Doc;
  readonly #size: OutlineSize;
  readonly #tree: TreeIndex;
  readonly #limits: OutlineLimits;
  readonly #mayTake: (bytes: number) => boolean;
  readonly #mostUpkeepBytes: number;
  /** What was taken in the transaction under way, and is not counted yet. */
  #takenNodes = 0;
  #takenBytes = 0;
  #isTaken = false;
  /** Before anything was taken: rows are there as soon as they are written. */
  #nodesBefore: number | undefined;

  constructor(doc: Y.Doc, tree: TreeIndex, { size, limits, mayTake }: OutlineSizing) {
    this.#doc = doc;
    this.#size = size;
    this.#tree = tree;
    this.#limits = limits;
    this.#mayTake = mayTake;
    const { maxBytes, maxUpkeepBytes } = limits;
    const usual = Math.max(maxBytes, this.bytes) + maxBytes * UPKEEP_SHARE;
    this.#mostUpkeepBytes = Math.min(usual, maxUpkeepBytes);
    doc.on("afterTransactionCleanup", this.#onCounted);
  }

  /** Of memory that the outline takes. O(1). */
  get bytes(): number {
    return bytesOf(this.#size, this.#tree.knownCount) + this.#size.joints * BYTES.joint;
  }

  /** Does `work`, which reads the whole document, and takes into account what that makes smaller. */
  *reading<T>(work: Generator<void, T>): Generator<void, T> {
    const { joints } = this.#size;
    const result = yield* work;
    this.#size.forgetJoints(joints);
    return result;
  }

  /** Does `work`, in slices, for all of which room was taken before: nothing in it takes any. */
  *inTaken<T>(work: Generator<void, T>): Generator<void, T> {
    this.#isTaken = true;
    try {
      return yield* work;
    } finally {
      this.#isTaken = false;
    }
  }

  /** Whether it is nearly full, or more. */
  get isTight(): boolean {
    const { maxNodes, maxBytes } = this.#limits;
    return this.#tree.knownCount > maxNodes * TIGHT_SHARE || this.bytes > maxBytes * TIGHT_SHARE;
  }

  /**
   * Takes room for what is about to be written, in this transaction or before the next one. O(1).
   * @param parents of what is new; reserved nodes are made when they are not there
   * @returns why that can't be; then nothing is taken
   */
  take(
    { nodes, bytes, isUpkeep }: Addition,
    parents: readonly NodeKey[] = [],
  ): OutlineFull | undefined {
    const seeds = parents.reduce((sum, parent) => sum + newSeedsFor(this.#doc, parent), 0);
    const full = fullOfSeeds(this.#doc, seeds);
    if (full !== undefined || this.#isTaken) return full;
    const { maxNodes, maxBytes } = this.#limits;
    this.#nodesBefore ??= this.#tree.knownCount;
    const hasNodes = this.#nodesBefore + this.#takenNodes;
    if (nodes > 0 && hasNodes + nodes > maxNodes) return fullOf("nodes", hasNodes, nodes, maxNodes);
    const hasBytes = this.bytes + this.#takenBytes;
    const most = isUpkeep ? this.#mostUpkeepBytes : maxBytes;
    if (bytes > 0 && hasBytes + bytes > most) return fullOf("bytes", hasBytes, bytes, maxBytes);
    if (bytes > 0 && !isUpkeep && !this.#mayTake(hasBytes + bytes)) {
      return fullOf("memory", hasBytes, bytes, maxBytes);
    }
    this.#takenNodes += nodes;
    this.#takenBytes += bytes;
    return undefined;
  }

  /** The same for an edit of a text. */
  takeForEdit(...edit: Parameters<typeof additionOfEdit>): OutlineFull | undefined {
    return this.take(additionOfEdit(...edit));
  }

  /** The same for what adds no text. */
  takeUpkeep(): OutlineFull | undefined {
    return this.take(additions.UPKEEP);
  }

  detach(): void {
    this.#doc.off("afterTransactionCleanup", this.#onCounted);
    this.#size.detach();
  }

  readonly #onCounted = (): void => {
    this.#takenNodes = 0;
    this.#takenBytes = 0;
    this.#nodesBefore = undefined;
  };
}

function fullOf(
  quota: OutlineFull["quota"],
  has: number,
  adds: number,
  limit: number,
): OutlineFull {
  return { kind: "outline_full", quota, has, adds, limit };
}
