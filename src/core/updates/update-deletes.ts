import type * as Y from "yjs";
import type { DeleteSection } from "./update-reader.ts";
import { indexOf, structsOf, type Struct } from "../yjs/struct-store.ts";

/** Ranges, or clients, that are looked for in a step. */
const STEP = 512;

/** Ranges that were deleted already and are told: who sends more sends all that it knows. */
const MOST_AGAIN = 100;

/** How far ahead of the last struct found to look before searching anew. */
const NEAR = 8;

/**
 * Leaves out what a document has already deleted. A client that reconnects sends every range it
 * knows, hundreds of thousands; Yjs would look for each of them. Ranges that reach beyond the
 * document's state (into the same update) are kept. Linear in ranges that stand close together, in
 * steps of a fraction of a millisecond.
 */
export function* newDeletes(
  doc: Y.Doc,
  deletes: readonly DeleteSection[],
): Generator<void, DeletesFound> {
  const fresh: DeleteSection[] = [];
  const again: DeleteSection[] = [];
  let spare = MOST_AGAIN;
  for (const [index, { client, ranges }] of deletes.entries()) {
    if (index % STEP === STEP - 1) yield;
    const own = { fresh: [], again: [] };
    yield* findRanges(structsOf(doc, client), ranges, own, spare);
    if (own.fresh.length > 0) fresh.push({ client, ranges: own.fresh });
    if (own.again.length > 0) again.push({ client, ranges: own.again });
    spare -= own.again.length / 2;
  }
  return { fresh, again: spare < 0 ? [] : again };
}

/** The ranges of an update, by what a document says of them. */
interface DeletesFound {
  readonly fresh: readonly DeleteSection[];
  /** What has been deleted already, all of it; nothing when there is too much of it to be told. */
  readonly again: readonly DeleteSection[];
}

function* findRanges(
  structs: readonly Struct[],
  ranges: readonly number[],
  { fresh, again }: { readonly fresh: number[]; readonly again: number[] },
  mostAgain: number,
): Generator<void> {
  let index = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    const clock = ranges[at] ?? 0;
    const length = ranges[at + 1] ?? 0;
    index = indexFrom(structs, clock, index);
    if (!isDeleted(structs, index, clock + length)) fresh.push(clock, length);
    else if (again.length <= 2 * mostAgain) again.push(clock, length);
    if (at % (2 * STEP) === 2 * (STEP - 1)) yield;
  }
}

/** The index of the struct that covers a clock, searched from `hint` on; the length when none does. */
function indexFrom(structs: readonly Struct[], clock: number, hint: number): number {
  for (let index = hint; index < hint + NEAR; index++) {
    const struct = structs[index];
    if (struct === undefined) return structs.length;
    if (clock < struct.id.clock + struct.length) return index;
  }
  const last = structs.at(-1);
  if (last === undefined || clock >= last.id.clock + last.length) return structs.length;
  return indexOf(structs, clock);
}

/** Whether everything from the struct at `index` up to `end` is there and deleted. */
function isDeleted(structs: readonly Struct[], index: number, end: number): boolean {
  for (let at = index; ; at++) {
    const struct = structs[at];
    if (struct === undefined || !struct.deleted) return false;
    if (struct.id.clock + struct.length >= end) return true;
  }
}
