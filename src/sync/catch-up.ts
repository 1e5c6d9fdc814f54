import { missingUpdates, type Seq, type StoredExtent } from "../documents/log/outline-log.ts";
import { hasNothing } from "../protocol/state-vector.ts";
import type { StateSource } from "../protocol/message.ts";
import type { CatchUpPart } from "./dialect.ts";
import type { DocumentPin } from "./document-pin.ts";
import type { DurableOutline, DurableParts } from "./durable-outline.ts";
import { mergedParts } from "./merged-parts.ts";

/** From where a client is to be brought up to date. */
export type CatchUpFrom =
  | { readonly kind: "state_vector"; readonly stateVector: Uint8Array }
  | {
      readonly kind: "seq";
      readonly epoch: string;
      readonly seq: Seq;
      /** Whether the client can be asked what it has, where the log does not reach back so far. */
      readonly saysRest?: boolean;
    };

export interface CatchUpPorts {
  readonly pin: DocumentPin;
  readonly durable: Pick<DurableOutline, "look" | "unopened">;
  /** Whether the client is still there, and has not asked for something else meanwhile. */
  readonly isWanted: () => boolean;
  /**
   * What follows is known: the updates behind the client's number, or a state; or nothing, until the
   * client has said what it has of a state.
   */
  readonly onSource: (source: StateSource, epoch: string) => void;
}

/** A Yjs update of no structs and no deletions. */
const EMPTY_UPDATE = new Uint8Array([0, 0]);

/**
 * What a client lacks, up to a moment after it has asked: what is behind the last part's number is to
 * be asked for again, until there is nothing. Each part is read or encoded when it is taken, in some
 * milliseconds, so that no more is made than the client reads.
 * @throws what opening and reading throw
 */
export function lackingParts(ports: CatchUpPorts, from: CatchUpFrom): AsyncGenerator<CatchUpPart> {
  if (from.kind === "seq") return behind(ports, from);
  return hasNothing(from.stateVector) ? whole(ports) : difference(ports, from.stateVector);
}

/** One page of the log, or a whole state where the log does not reach back so far. */
async function* behind(
  ports: CatchUpPorts,
  from: Extract<CatchUpFrom, { kind: "seq" }>,
): AsyncGenerator<CatchUpPart> {
  const { durable, isWanted, onSource } = ports;
  let mayHaveParts = false;
  const page = await durable.look(isWanted, async (outline) => {
    const { epoch, head } = outline;
    if (from.epoch !== epoch || from.seq > head) return undefined;
    mayHaveParts = true;
    return from.seq === 0 ? undefined : outline.since(from.seq, isWanted);
  });
  if (page === undefined && mayHaveParts && from.saysRest === true) {
    return onSource("rest", from.epoch);
  }
  if (page === undefined) return yield* whole(ports);
  onSource("seq", from.epoch);
  const end = from.seq + page.length;
  for (const { update, seq } of mergedParts(page, from.seq)) {
    yield { update, seq, isLast: seq === end };
  }
}

/** What a state vector does not have. */
async function* difference(
  ports: CatchUpPorts,
  stateVector: Uint8Array,
): AsyncGenerator<CatchUpPart> {
  const { pin, durable, isWanted } = ports;
  const unopened = await durable.unopened(isWanted);
  if (unopened !== undefined) {
    return yield* partsOf(ports, unopened, unopened.state.difference(stateVector, isWanted));
  }
  const { document, letGo } = await pin.hold();
  try {
    yield* partsOf(ports, document, document.difference(stateVector));
  } finally {
    letGo();
  }
}

async function* partsOf(
  { onSource }: CatchUpPorts,
  { epoch, head }: Pick<DurableParts, "epoch" | "head">,
  updates: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<CatchUpPart> {
  // Later updates may be in what follows; they are sent again, which does no harm.
  const seq = head;
  onSource("state", epoch);
  let last: Uint8Array | undefined;
  for await (const update of updates) {
    if (last !== undefined) yield { update: last, seq: 0, isLast: false };
    last = update;
  }
  yield { update: last ?? EMPTY_UPDATE, seq, isLast: true };
}

/**
 * The durable state as it is stored: the chunks of the newest snapshot, and the updates behind it. When
 * a newer snapshot takes its place meanwhile, that one, from its beginning.
 */
async function* whole(ports: CatchUpPorts): AsyncGenerator<CatchUpPart> {
  const { durable, isWanted, onSource } = ports;
  let before: StoredExtent | undefined;
  for (;;) {
    const extent = await durable.look(isWanted, (outline) => outline.extent(isWanted));
    if (before === undefined) onSource("state", extent.epoch);
    else if (before.snapshot?.seq === extent.snapshot?.seq) throw missingUpdates();
    const isComplete = yield* stored(ports, extent);
    if (isComplete) return;
    before = extent;
  }
}

/** False when it is not there any more. Only all of it together leads to its number. */
async function* stored(
  ports: CatchUpPorts,
  { epoch, head, snapshot }: StoredExtent,
): AsyncGenerator<CatchUpPart, boolean> {
  const { durable, isWanted } = ports;
  const { seq: chunksSeq, chunks } = snapshot ?? { seq: 0, chunks: 0 };
  let hasEnded = false;
  for (let index = 0; index < chunks; index++) {
    const place = { epoch, seq: chunksSeq, index };
    const update = await durable.look(isWanted, (outline) => outline.chunk(place, isWanted));
    if (update === undefined) return false;
    hasEnded = index === chunks - 1 && chunksSeq === head;
    yield { update, seq: hasEnded ? head : 0, isLast: hasEnded };
  }
  for (let from = chunksSeq; from < head;) {
    const after = from;
    const page = await durable.look(isWanted, (outline) => outline.since(after, isWanted));
    if (page === undefined || page.length === 0) return false;
    from += page.length;
    for (const { update, seq } of mergedParts(page, after)) {
      hasEnded = seq >= head;
      yield { update, seq: hasEnded ? seq : 0, isLast: hasEnded };
    }
  }
  if (!hasEnded) yield { update: EMPTY_UPDATE, seq: head, isLast: true };
  return true;
}
