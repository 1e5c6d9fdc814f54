import * as Y from "yjs";
import {
  deletedInSteps,
  deletedRanges,
  encodeRanges,
  encodeUpdate,
  type SectionEncoder,
  sectionFrom,
} from "./struct-encoding.ts";
import { clientsOf, clockOf } from "./struct-store.ts";

/** A difference of more structs, or of more characters in them, is made in chunks. */
const FEW_STRUCTS = 500;
const FEW_CHARACTERS = 32 * 1024;

/** One or two milliseconds, the first time. */
const STEP = 4_096;

/** Deletions that are encoded already are only copied. */
const FEW_DELETE_BYTES = 64 * 1024;

interface EncodedDeletes {
  /** The client's clock when they were encoded: behind it more may be deleted. */
  readonly clock: number;
  /** Undefined when nothing of the client's is deleted. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * What a replica lacks, as Yjs's `encodeStateAsUpdate` would say it, without its walk over the whole
 * document. A state vector says nothing about deletions, so every difference has all of them: they
 * are kept encoded for each client and made anew only for the clients where something was deleted.
 */
export class StateDiff {
  readonly #doc: Y.Doc;
  /** As many as the outline has clients [Q58]. */
  readonly #deletes = new Map<number, EncodedDeletes>();
  /** In how many transactions something of a client was deleted [Q58]. */
  readonly #deletions = new Map<number, number>();
  /** Of the document as it is. */
  #stateVector: Uint8Array | undefined;

  constructor(doc: Y.Doc) {
    this.#doc = doc;
    doc.on("afterTransaction", ({ deleteSet }) => {
      this.#stateVector = undefined;
      for (const client of deleteSet.clients.keys()) {
        this.#deletes.delete(client);
        this.#deletions.set(client, this.#deletionsOf(client) + 1);
      }
    });
  }

  /**
   * Encodes what is deleted of all clients and is not encoded yet, in steps, so that a difference has
   * little left to do. The document may change between two of them.
   *
   * @param step structs that are looked through in one
   */
  *prepare(step = STEP): Generator<void> {
    for (const client of clientsOf(this.#doc)) {
      const clock = clockOf(this.#doc, client);
      if (this.#deletes.get(client)?.clock !== clock)
        yield* this.#prepareClient(client, clock, step);
    }
  }

  *#prepareClient(client: number, end: number, step: number): Generator<void> {
    const ranges: number[] = [];
    const deletions = this.#deletionsOf(client);
    for (const _ of deletedInSteps(ranges, this.#doc, client, end, step)) yield;
    if (this.#deletionsOf(client) !== deletions) return;
    this.#deletes.set(client, encodedDeletes(client, end, ranges));
  }

  #deletionsOf(client: number): number {
    return this.#deletions.get(client) ?? 0;
  }

  /** What the document has: encoded once for all that ask between two transactions. */
  stateVector(): Uint8Array {
    return (this.#stateVector ??= Y.encodeStateVector(this.#doc));
  }

  /** Whether what a replica with these clocks lacks is encoded in a millisecond or so. */
  isLittle(known: ReadonlyMap<number, number>): boolean {
    let count = 0;
    let characters = 0;
    let deleteBytes = 0;
    for (const [client, structs] of this.#doc.store.clients) {
      deleteBytes += this.#deletes.get(client)?.bytes?.byteLength ?? 0;
      const clock = known.get(client) ?? 0;
      if (clock >= Y.getState(this.#doc.store, client)) continue;
      const first = Y.findIndexSS(structs, clock);
      count += structs.length - first;
      if (count > FEW_STRUCTS) return false;
      for (let index = first; index < structs.length; index++) {
        characters += charactersOf(structs[index]);
      }
      if (characters > FEW_CHARACTERS) return false;
    }
    return deleteBytes <= FEW_DELETE_BYTES;
  }

  /** One update: the structs that a replica with these clocks lacks, and all deletions. */
  encode(known: ReadonlyMap<number, number>): Uint8Array {
    const sections: SectionEncoder[] = [];
    const deletes: Uint8Array[] = [];
    for (const [client, structs] of this.#doc.store.clients) {
      const end = Y.getState(this.#doc.store, client);
      const start = known.get(client) ?? 0;
      if (start < end) sections.push(sectionFrom(client, structs, start));
      const { bytes } = this.#deletesOf(client, structs, end);
      if (bytes !== undefined) deletes.push(bytes);
    }
    return encodeUpdate(sections, deletes);
  }

  #deletesOf(client: number, structs: readonly (Y.Item | Y.GC)[], clock: number): EncodedDeletes {
    const known = this.#deletes.get(client);
    if (known?.clock === clock) return known;
    const encoded = encodedDeletes(client, clock, deletedRanges(structs));
    this.#deletes.set(client, encoded);
    return encoded;
  }
}

function encodedDeletes(client: number, clock: number, ranges: readonly number[]): EncodedDeletes {
  return { clock, bytes: ranges.length === 0 ? undefined : encodeRanges(client, ranges) };
}

/** Of the content of a struct, where it can be long. */
function charactersOf(struct: Y.Item | Y.GC | undefined): number {
  if (!(struct instanceof Y.Item)) return 0;
  const { content } = struct;
  if (content instanceof Y.ContentString) return content.str.length;
  if (content instanceof Y.ContentFormat) return lengthOf(content.value);
  if (content instanceof Y.ContentEmbed) return lengthOf(content.embed);
  if (!(content instanceof Y.ContentAny)) return 0;
  return content.arr.reduce<number>((length, value) => length + lengthOf(value), 0);
}

/** Of values only texts can be long in an outline. */
function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length : 0;
}
