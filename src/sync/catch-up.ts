import type { Seq } from "../documents/outline-log.ts";
import { hasNothing } from "../protocol/state-vector.ts";
import type { CatchUpPart } from "./dialect.ts";
import type { MergedTail } from "./merged-tail.ts";
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

/** A Yjs update of no structs and no deletions. */
const EMPTY_UPDATE = new Uint8Array([0, 0]);

/**
 * The durable updates that a client lacks; undefined when it has to be sent the whole state: it has
 * nothing yet, its history is another one, or what it lacks is no longer kept as updates.
 */
export async function updatesBehind(
  document: SyncDocument,
  from: CatchUpFrom,
  tail: MergedTail,
): Promise<CatchUp | undefined> {
  if (from.kind === "state_vector") {
    if (hasNothing(from.stateVector)) return undefined;
    // Later updates may be in what follows; they are sent again, which does no harm.
    const seq = document.head;
    const updates = await document.catchUp(from.stateVector);
    return { parts: statePartsOf(updates, seq), seq, stateVector: document.stateVector() };
  }
  const { epoch } = document;
  if (from.seq === 0 || from.epoch !== epoch || from.seq > document.head) return undefined;
  const updates = await document.since(from.seq);
  if (updates === undefined) return undefined;
  const seq = from.seq + updates.length;
  return { parts: tailPartsOf(tail, epoch, updates, from.seq), seq, stateVector: undefined };
}

/** The whole durable state, as it is stored; for as many clients as ask for it. */
export async function wholeState(document: SyncDocument, tail: MergedTail): Promise<() => CatchUp> {
  const { chunks, updates, head: seq } = await document.fullState();
  const { epoch } = document;
  const stateVector = document.stateVector();
  const parts = function* (): Generator<Uint8Array> {
    yield* chunks;
    for (const { update } of tail.parts(epoch, updates, seq - updates.length)) yield update;
  };
  return () => ({ parts: statePartsOf(parts(), seq), seq, stateVector });
}

/** Updates that only together lead to `seq`. There is at least one, if only to say that it is all. */
function* statePartsOf(updates: Iterable<Uint8Array>, seq: Seq): Generator<CatchUpPart> {
  let last: Uint8Array | undefined;
  for (const update of updates) {
    if (last !== undefined) yield { update: last, seq: 0, isLast: false };
    last = update;
  }
  yield { update: last ?? EMPTY_UPDATE, seq, isLast: true };
}

/** Updates of the log that follow `after`. */
function* tailPartsOf(
  tail: MergedTail,
  epoch: string,
  updates: readonly Uint8Array[],
  after: Seq,
): Generator<CatchUpPart> {
  for (const { update, seq } of tail.parts(epoch, updates, after)) {
    yield { update, seq, isLast: seq === after + updates.length };
  }
}
