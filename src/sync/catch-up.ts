import type { Seq } from "../documents/outline-log.ts";
import { hasNothing } from "../protocol/state-vector.ts";
import type { CatchUpPart } from "./dialect.ts";
import { mergedUpdate } from "./merged-update.ts";
import type { SyncDocument } from "./sync-document.ts";

/** From where a client is to be brought up to date. */
export type CatchUpFrom =
  | { readonly kind: "state_vector"; readonly stateVector: Uint8Array }
  | { readonly kind: "seq"; readonly epoch: string; readonly seq: Seq };

/** What brings a client up to date. */
export interface CatchUp {
  /** Made as they are taken: some milliseconds of work each. */
  readonly parts: Iterable<CatchUpPart>;
  /** What the client then holds all up to. */
  readonly seq: Seq;
  /** Of the document; undefined when the client's own sequence number says what the server has. */
  readonly stateVector: Uint8Array | undefined;
}

/** Updates of at most so many bytes are merged, as many as fit into the other two. */
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
    return { parts: statePartsOf(updates, seq), seq, stateVector: document.stateVector() };
  }
  if (from.seq === 0 || from.epoch !== document.epoch || from.seq > document.head) return undefined;
  const updates = await document.since(from.seq);
  if (updates === undefined) return undefined;
  const seq = from.seq + updates.length;
  return { parts: tailPartsOf(updates, from.seq), seq, stateVector: undefined };
}

/** The whole durable state, as it is stored; for as many clients as ask for it. */
export async function wholeState(document: SyncDocument): Promise<() => CatchUp> {
  const { chunks, head: seq } = await document.fullState();
  const stateVector = document.stateVector();
  return () => ({ parts: statePartsOf(chunks, seq), seq, stateVector });
}

/** Updates that only together lead to `seq`. There is at least one, if only to say that it is all. */
function* statePartsOf(updates: readonly Uint8Array[], seq: Seq): Generator<CatchUpPart> {
  if (updates.length === 0) yield { update: EMPTY_UPDATE, seq, isLast: true };
  for (const { update, count } of merged(updates)) {
    const isLast = count === updates.length;
    yield { update, seq: isLast ? seq : 0, isLast };
  }
}

/** Updates of the log that follow `after`. */
function* tailPartsOf(updates: readonly Uint8Array[], after: Seq): Generator<CatchUpPart> {
  for (const { update, count } of merged(updates)) {
    yield { update, seq: after + count, isLast: count === updates.length };
  }
}

interface Merged {
  readonly update: Uint8Array;
  /** How many of the updates this one and those before it stand for. */
  readonly count: number;
}

/** Merges runs of small updates: a frame for each keystroke would be mostly headers. */
function* merged(updates: readonly Uint8Array[]): Generator<Merged> {
  for (let start = 0; start < updates.length;) {
    const run: Uint8Array[] = [];
    let bytes = 0;
    for (const update of updates.slice(start, start + MERGED_UPDATES)) {
      const isSmall = update.length <= SMALL_UPDATE_BYTES;
      if (run.length > 0 && (!isSmall || bytes + update.length > MERGED_BYTES)) break;
      run.push(update);
      bytes += update.length;
      if (!isSmall) break;
    }
    start += run.length;
    yield { update: mergedUpdate(run), count: start };
  }
}
