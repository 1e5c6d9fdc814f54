import * as Y from "yjs";
import { mergedAtTheEnd } from "../yjs/inside.ts";
import {
  clientsOf,
  forEachAdded,
  structsBetween,
  structsOf,
  type Struct,
} from "../yjs/struct-store.ts";

/** What takes memory in a document, counted. */
export interface SizeCounts {
  /** Items, also deleted ones, and ranges of collected ones. */
  readonly structs: number;
  /** Texts and notes that are there: the objects of Yjs, with their attributes' maps. */
  readonly types: number;
  /** What the items that are there hold: texts, attributes, marks, shortcuts. */
  readonly contentBytes: number;
  /** Who has written. */
  readonly clients: number;
}

/**
 * Bytes of heap, as measured on loaded outlines of 16 shapes: notes, long texts, formats, deep trees,
 * moves, deletions, thousands of clients. What is counted with these lies between 5 % below and 20 %
 * above what was measured; texts of one byte a character count as if they took two.
 */
export const BYTES = {
  struct: 200,
  type: 590,
  value: 80,
  character: 2,
  client: 500,
  /** A value that holds others, for each byte that it was written with. */
  nested: 16,
  /** Of the derived index: a row for each node. */
  row: 170,
  /** What V8 keeps for two texts that were put together, until all of it is read in one go. */
  joint: 32,
} as const;

/** Of memory that the counts stand for. @param rows known ones of the tree */
export function bytesOf(counts: SizeCounts, rows: number): number {
  const { structs, types, contentBytes, clients } = counts;
  return (
    structs * BYTES.struct +
    types * BYTES.type +
    contentBytes +
    clients * BYTES.client +
    rows * BYTES.row
  );
}

/**
 * Counts a document, and from then on what each transaction adds and takes away: never more than the
 * transaction has touched.
 */
export class OutlineSize implements SizeCounts {
  readonly #doc: Y.Doc;
  /** How many structs there are of each client; as many as the document has clients [Q61]. */
  readonly #structsOf = new Map<number, number>();
  /** Clients whose structs the transaction under way has changed; one turn's work [Q61]. */
  readonly #touched = new Set<number>();
  #structs = 0;
  /** Structs of the transaction under way, before Yjs merges what it can. */
  #added = 0;
  #joints = 0;
  #types = 0;
  #contentBytes = 0;

  /** Counts what is there at once: so best before anything is. */
  constructor(doc: Y.Doc) {
    this.#doc = doc;
    for (const client of clientsOf(doc)) {
      this.#recount(client);
      for (const struct of structsOf(doc, client)) this.#count(struct);
    }
    doc.on("afterTransaction", this.#afterTransaction);
    doc.on("afterTransactionCleanup", this.#afterCleanup);
  }

  get structs(): number {
    return this.#structs;
  }

  get types(): number {
    return this.#types;
  }

  get contentBytes(): number {
    return this.#contentBytes;
  }

  get clients(): number {
    return this.#structsOf.size;
  }

  /** Texts that were put together since `forgetJoints`. */
  get joints(): number {
    return this.#joints;
  }

  /** To be called when all texts were read in one go since there were so many joints. */
  forgetJoints(count: number): void {
    this.#joints -= count;
  }

  /** To be called when structs were cut in no transaction. */
  noteCuts(): void {
    for (const client of clientsOf(this.#doc)) this.#recount(client);
  }

  /** Stops following the document. */
  detach(): void {
    this.#doc.off("afterTransaction", this.#afterTransaction);
    this.#doc.off("afterTransactionCleanup", this.#afterCleanup);
  }

  /** Before Yjs lets go of what was deleted. */
  readonly #afterTransaction = (transaction: Y.Transaction): void => {
    const { beforeState, deleteSet } = transaction;
    forEachAdded(transaction, (struct) => {
      this.#touched.add(struct.id.client);
      this.#count(struct);
      this.#added++;
    });
    for (const [client, ranges] of deleteSet.clients) {
      this.#touched.add(client);
      const known = beforeState.get(client) ?? 0;
      for (const { clock, len } of ranges) {
        const end = Math.min(clock + len, known);
        for (const struct of structsBetween(this.#doc, client, clock, end)) this.#uncount(struct);
      }
    }
  };

  /** After Yjs has merged what can be one struct. */
  readonly #afterCleanup = (transaction: Y.Transaction): void => {
    for (const { id } of mergedAtTheEnd(transaction)) this.#touched.add(id.client);
    const before = this.#structs;
    for (const client of this.#touched) this.#recount(client);
    this.#joints += Math.max(0, this.#added - (this.#structs - before));
    this.#touched.clear();
    this.#added = 0;
  };

  #recount(client: number): void {
    const { length } = structsOf(this.#doc, client);
    this.#structs += length - (this.#structsOf.get(client) ?? 0);
    this.#structsOf.set(client, length);
  }

  #count(struct: Struct): void {
    if (struct instanceof Y.Item && !struct.deleted) this.#add(struct, 1);
  }

  /** It is marked deleted already, and still has what it held. */
  #uncount(struct: Struct): void {
    if (struct instanceof Y.Item) this.#add(struct, -1);
  }

  #add({ content }: Y.Item, sign: 1 | -1): void {
    if (content instanceof Y.ContentType) this.#types += sign;
    else this.#contentBytes += sign * bytesOfContent(content);
  }
}

function bytesOfContent(content: Y.Item["content"]): number {
  if (content instanceof Y.ContentString) return content.str.length * BYTES.character;
  if (content instanceof Y.ContentFormat) return bytesOfValue(content.value);
  if (content instanceof Y.ContentBinary) return content.content.byteLength;
  if (!(content instanceof Y.ContentAny)) return 0;
  return content.arr.reduce<number>((bytes, each) => bytes + BYTES.value + bytesOfValue(each), 0);
}

/** Beside the place that it takes. Values are shallow: what is nested deeply is refused. */
function bytesOfValue(value: unknown): number {
  if (typeof value === "string") return value.length * BYTES.character;
  if (typeof value !== "object" || value === null) return 0;
  return JSON.stringify(value).length * BYTES.nested;
}
