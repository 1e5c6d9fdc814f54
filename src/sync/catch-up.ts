import * as Y from "yjs";

import type { Seq } from "../documents/outline-log.ts";
import { hasNothing } from "../protocol/state-vector.ts";
import type { CatchUpPart } from "./dialect.ts";
import type { SyncDocument } from "./sync-document.ts";

/** From where a client is to be brought up to date. */
export type CatchUpFrom =
  | { readonly kind: "state_vector"; readonly stateVector: Uint8Array }
  | { readonly kind: "seq"; readonly epoch: string; readonly seq: Seq };

/** What brings a client up to date. */
export interface CatchUp {
  readonly parts: readonly CatchUpPart[];
  /** What the client then holds all up to. */
  readonly seq: Seq;
  /** Of the document; undefined when the client's own sequence number says what the server has. */
  readonly stateVector: Uint8Array | undefined;
}

/** Updates of at most so many bytes are merged, as long as the sum stays below the other number. */
const SMALL_UPDATE_BYTES = 4 * 1024;
const MERGED_BYTES = 64 * 1024;
const MERGED_UPDATES = 64;

/** A Yjs update of no structs and no deletions. */
const EMPTY_UPDATE = new Uint8Array([0, 0]);

/**
 * The durable updates that a client lacks; undefined when it has to be sent the whole state: it has
 * nothing yet, its history is another one, or what it lacks is no longer kept as updates.
 */
export async function updatesBehind(
  document: SyncDocument,
  from: CatchUpFrom,
): Promise<CatchUp | undefined> {
  if (from.kind === "state_vector") {
    if (hasNothing(from.stateVector)) return undefined;
    // Later updates may be in what follows; they are sent again, which does no harm.
    const seq = document.head;
    const updates = await document.catchUp(from.stateVector);
    return { parts: partsOf(updates, seq), seq, stateVector: document.stateVector() };
  }
  if (from.seq === 0 || from.epoch !== document.epoch || from.seq > document.head) return undefined;
  const updates = await document.since(from.seq);
  if (updates === undefined) return undefined;
  const seq = from.seq + updates.length;
  const parts = merged(updates).map(({ update, count }) => {
    const reached = from.seq + count;
    return { update, seq: reached, isLast: reached === seq };
  });
  return { parts, seq, stateVector: undefined };
}

/** The whole durable state, as it is stored. */
export async function wholeState(document: SyncDocument): Promise<CatchUp> {
  const { chunks, head: seq } = await document.fullState();
  const updates = merged(chunks).map(({ update }) => update);
  return { parts: partsOf(updates, seq), seq, stateVector: document.stateVector() };
}

/** Updates that only together lead to `seq`. There is at least one, if only to say that it is all. */
function partsOf(updates: readonly Uint8Array[], seq: Seq): readonly CatchUpPart[] {
  const all = updates.length === 0 ? [EMPTY_UPDATE] : updates;
  return all.map((update, index) => {
    const isLast = index === all.length - 1;
    return { update, seq: isLast ? seq : 0, isLast };
  });
}

interface Merged {
  readonly update: Uint8Array;
  /** How many of the updates this one and those before it stand for. */
  readonly count: number;
}

/** Merges runs of small updates: a frame for each keystroke would be mostly headers. */
function merged(updates: readonly Uint8Array[]): readonly Merged[] {
  const result: Merged[] = [];
  let run: Uint8Array[] = [];
  let runBytes = 0;
  let count = 0;
  const endRun = (): void => {
    const [first, ...others] = run;
    if (first === undefined) return;
    result.push({ update: others.length === 0 ? first : Y.mergeUpdates(run), count });
    run = [];
    runBytes = 0;
  };
  for (const update of updates) {
    const fits =
      update.length <= SMALL_UPDATE_BYTES &&
      runBytes + update.length <= MERGED_BYTES &&
      run.length < MERGED_UPDATES;
    if (!fits) endRun();
    count++;
    run.push(update);
    runBytes += update.length;
    if (update.length > SMALL_UPDATE_BYTES) endRun();
  }
  endRun();
  return result;
}
