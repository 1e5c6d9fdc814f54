import * as Y from "yjs";
import { deletedInSteps, encodeRanges, encodeUpdate, SectionEncoder } from "./struct-encoding.ts";
import { clientsOf, clockOf, indexOf, type Struct, structsOf } from "./struct-store.ts";

/** A chunk is closed when it reaches one of these. */
export interface ChunkLimits {
  readonly structs: number;
  /** Delete ranges. */
  readonly ranges: number;
  /** Of structs, of which the last one may go beyond it, and of delete ranges. */
  readonly bytes: number;
  /** Clients whose structs are in it. */
  readonly clients: number;
  /** Of one text that go into it; a longer one goes in pieces. */
  readonly characters: number;
  /** Of one client that are looked through for deletions in one go. */
  readonly looks: number;
}

/** Some 5 ms of work, and some 10 ms to apply it. */
const DEFAULT_LIMITS: ChunkLimits = {
  structs: 2_000,
  ranges: 10_000,
  bytes: 200_000,
  clients: Infinity,
  characters: Infinity,
  looks: 65_536,
};
/**
 * The same of what is sent: on a line of 5 KB/s some six seconds, within which clients hear something.
 * Some that never say how far they are give a line up that brings no whole message in ten or thirty.
 */
export const SENT_LIMITS: Partial<ChunkLimits> = { bytes: 32 * 1024, characters: 16 * 1024 };

/** The most that a delete range takes: two numbers. */
const RANGE_BYTES = 12;

/** How far one client's structs are written. */
interface Cursor {
  readonly client: number;
  /** Everything below is in this chunk or an earlier one. */
  clock: number;
  /** Where the state ends that is written. */
  readonly end: number;
  section: SectionEncoder | undefined;
  /** Waits for structs of another client, further up on the stack. */
  isWaiting: boolean;
}

/**
 * Encodes what a document holds as updates that are small enough to be made and applied between two
 * other things. Applied in order, none of them leaves anything pending. The last ones are the
 * deletions, for replicas that had some of the structs before.
 *
 * The document may change between two chunks. The state that is written is the one at the start:
 * later structs are left out, while later deletions may or may not be in it. Structs are written in
 * the order in which each one finds what it refers to, like in Yjs's `integrateStructs`, but from
 * the store (`Doc.store.clients`: by client, sorted by clock, without gaps; yjs 13.6). Between two
 * chunks Yjs may cut structs in two, merge neighbours, or put a `GC` in the place of many: so only
 * clocks are remembered, never structs or indexes. Two facts make that safe. A merged struct refers
 * to nothing that its first part did not refer to. And structs are collected together with all that
 * is in the same list, so what is written later refers to collected structs only if it was collected
 * as well.
 *
 * @param known what the receiver has: clocks by client
 */
export function* stateChunks(
  doc: Y.Doc,
  known: ReadonlyMap<number, number> = new Map(),
  limits: Partial<ChunkLimits> = {},
): Generator<Uint8Array, void> {
  const cursors = cursorsOf(doc, known);
  const all = { ...DEFAULT_LIMITS, ...limits };
  yield* structChunks(doc, cursors, new ChunkBuilder(all));
  const ranges = Math.min(all.ranges, Math.ceil(all.bytes / RANGE_BYTES));
  yield* deleteChunks(doc, cursors, { ...all, ranges });
}

function cursorsOf(doc: Y.Doc, known: ReadonlyMap<number, number>): Map<number, Cursor> {
  const clients = [...clientsOf(doc)].sort((one, other) => other - one);
  return new Map(
    clients.map((client) => {
      const end = clockOf(doc, client);
      const clock = Math.min(known.get(client) ?? 0, end);
      return [client, { client, clock, end, section: undefined, isWaiting: false }];
    }),
  );
}

function* structChunks(
  doc: Y.Doc,
  cursors: ReadonlyMap<number, Cursor>,
  chunk: ChunkBuilder,
): Generator<Uint8Array> {
  for (const start of cursors.values()) {
    const stack: { readonly cursor: Cursor; readonly until: number }[] = [
      { cursor: start, until: start.end },
    ];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { cursor, until } = top;
      const missing = writeUpTo(doc, cursors, chunk, cursor, until);
      if (missing !== undefined) {
        const next = cursors.get(missing.client);
        if (next === undefined || next.isWaiting) throw new Error("structs wait for each other");
        cursor.isWaiting = true;
        stack.push({ cursor: next, until: missing.clock + 1 });
      } else if (cursor.clock >= until) {
        cursor.isWaiting = false;
        stack.pop();
      }
      if (chunk.isFull) yield chunk.take();
    }
  }
  if (!chunk.isEmpty) yield chunk.take();
}

/**
 * Writes structs of one client up to the clock `until`, until the chunk is full, or up to a struct
 * that refers to what is not written yet: that address is the answer.
 */
function writeUpTo(
  doc: Y.Doc,
  cursors: ReadonlyMap<number, Cursor>,
  chunk: ChunkBuilder,
  cursor: Cursor,
  until: number,
): Y.ID | undefined {
  if (cursor.clock >= until) return undefined;
  const structs = structsOf(doc, cursor.client);
  for (let index = indexOf(structs, cursor.clock); cursor.clock < until;) {
    const struct = structs[index];
    if (struct === undefined) throw new Error("a gap in the store");
    const missing = missingOf(struct, cursor, cursors);
    if (missing !== undefined) return missing;
    const end = Math.min(struct.id.clock + struct.length, cursor.end);
    const to = chunk.endOfPiece(struct, cursor.clock, end);
    chunk.add(struct, cursor, to);
    if (to === end) index++;
    if (chunk.isFull) return undefined;
  }
  return undefined;
}

/** What a struct refers to, as far as it is written: its own earlier part is there anyway. */
function missingOf(
  struct: Struct,
  { client, clock }: Cursor,
  cursors: ReadonlyMap<number, Cursor>,
): Y.ID | undefined {
  if (struct instanceof Y.GC) return undefined;
  const isMissing = (id: Y.ID | null): id is Y.ID =>
    id !== null && id.client !== client && id.clock >= (cursors.get(id.client)?.clock ?? 0);
  if (isMissing(struct.rightOrigin)) return struct.rightOrigin;
  if (struct.id.clock < clock) return undefined;
  if (isMissing(struct.origin)) return struct.origin;
  const parent = struct.parent instanceof Y.AbstractType ? struct.parent._item?.id : undefined;
  return parent !== undefined && isMissing(parent) ? parent : undefined;
}

class ChunkBuilder {
  readonly #limits: ChunkLimits;
  #cursors: Cursor[] = [];
  #sections: SectionEncoder[] = [];
  #structs = 0;
  #bytes = 0;

  constructor(limits: ChunkLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#structs === 0;
  }

  get isFull(): boolean {
    const { structs, bytes, clients } = this.#limits;
    return this.#structs >= structs || this.#bytes >= bytes || this.#cursors.length >= clients;
  }

  /** Up to where a struct, which is written up to `clock` and has to be up to `end`, goes in next. */
  endOfPiece(struct: Struct, clock: number, end: number): number {
    const { characters } = this.#limits;
    if (end - clock <= characters || struct instanceof Y.GC) return end;
    const { content } = struct;
    if (!(content instanceof Y.ContentString)) return end;
    const to = clock + characters;
    // Yjs puts a sign for "unreadable" in the place of a character that is cut in two.
    return isFirstHalf(content.str.charCodeAt(to - 1 - struct.id.clock)) ? to - 1 : to;
  }

  /** Adds what is not written of a struct, up to the clock `to`. */
  add(struct: Struct, cursor: Cursor, to: number): void {
    let { section } = cursor;
    if (section === undefined) {
      section = new SectionEncoder(cursor.client, cursor.clock);
      cursor.section = section;
      this.#cursors.push(cursor);
      this.#sections.push(section);
    }
    const before = section.byteLength;
    section.add(struct, cursor.clock, to);
    cursor.clock = to;
    this.#structs++;
    this.#bytes += section.byteLength - before;
  }

  take(): Uint8Array {
    const update = encodeUpdate(this.#sections);
    for (const cursor of this.#cursors) cursor.section = undefined;
    this.#cursors = [];
    this.#sections = [];
    this.#structs = 0;
    this.#bytes = 0;
    return update;
  }
}

/** Whether it is the first half of a character that takes two. */
function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function* deleteChunks(
  doc: Y.Doc,
  cursors: ReadonlyMap<number, Cursor>,
  limits: ChunkLimits,
): Generator<Uint8Array> {
  let deletes: Uint8Array[] = [];
  let count = 0;
  for (const { client, end } of cursors.values()) {
    const ranges: number[] = [];
    for (const clock of deletedInSteps(ranges, doc, client, end, limits.looks)) {
      // Each is in an update of its own: no update has two parts of one client.
      const isRest = clock < end;
      while (ranges.length > 0) {
        const part = ranges.splice(0, 2 * limits.ranges);
        deletes.push(encodeRanges(client, part));
        count += part.length / 2;
        if (count < limits.ranges && !isRest) continue;
        yield encodeUpdate([], deletes);
        deletes = [];
        count = 0;
      }
    }
  }
  if (deletes.length > 0) yield encodeUpdate([], deletes);
}
