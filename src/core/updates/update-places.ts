import { countWhile } from "../count-while.ts";
import * as Y from "yjs";
import { metaOf, marksOf, nodesOf, shortcutsOf } from "../schema.ts";
import { isNoteAttribute, type ListKind } from "./update-schema.ts";
import type { StructId, StructRecord, StructSection } from "./update-reader.ts";
import { holderOf, type SharedType } from "../yjs/inside.ts";
import { structAt } from "../yjs/struct-store.ts";

/** A type of the document, or the struct of the same update that makes one. */
export type Owner = SharedType | StructRecord;

/** The list that a struct is put into. */
export interface ListPlace {
  readonly list: ListKind;
  /** Whose list it is; undefined for `gone`. */
  readonly owner: Owner | undefined;
  /** The map entry; null in the sequence part. */
  readonly sub: string | null;
}

export const GONE: ListPlace = { list: "gone", owner: undefined, sub: null };

/** The part of a client's section that the document does not have yet. */
export interface Incoming extends StructSection {
  /** Clock up to which the document knows the client. */
  readonly known: number;
  /** Clock up to which it will know it. */
  readonly end: number;
  /** Index of the first struct that is new, wholly or at its end. */
  readonly first: number;
  /** Where the structs go, from index `first` on; filled in the order in which they are placed. */
  readonly places: ListPlace[];
  /** Bytes of our own: a seed, whatever the sender sent under that id. */
  readonly isSeed: boolean;
}

export function isSharedType(owner: Owner): owner is SharedType {
  return owner instanceof Y.AbstractType;
}

/** Thrown for a struct that no client of ours makes; the guard answers `malformed`. */
export class ImpossibleStruct extends Error {
  override readonly name = "ImpossibleStruct";
}

/**
 * Finds out where structs go: in the document as it is, and among the structs of the update that
 * were placed before them.
 */
export class PlaceFinder {
  readonly #doc: Y.Doc;
  readonly #incoming: ReadonlyMap<number, Incoming>;
  readonly #nodes: SharedType;

  constructor(doc: Y.Doc, incoming: ReadonlyMap<number, Incoming>) {
    this.#doc = doc;
    this.#incoming = incoming;
    this.#nodes = nodesOf(doc);
  }

  /**
   * The list a struct goes into. All that it refers to must be known or placed. As in Yjs, a
   * neighbour that was collected takes it along.
   * @throws ImpossibleStruct for neighbours in different lists, unknown roots, a parent that is no type
   */
  placeOf(struct: StructRecord): ListPlace {
    const { origin, rightOrigin, parent } = struct;
    if (origin !== undefined || rightOrigin !== undefined) {
      const left = origin === undefined ? undefined : this.placeAt(origin);
      const right = rightOrigin === undefined ? undefined : this.placeAt(rightOrigin);
      if (left === undefined || right === undefined) return left ?? right ?? GONE;
      if (left.list === "gone" || right.list === "gone") return GONE;
      if (left.owner !== right.owner || left.sub !== right.sub) throw new ImpossibleStruct("lists");
      return left;
    }
    const sub = struct.parentSub ?? null;
    if (typeof parent === "object") return this.#placeIn(parent, sub);
    return { ...this.#root(parent), sub };
  }

  /** The item of the document at an address; undefined when it was collected or comes with the update. */
  itemAt({ client, clock }: StructId): Y.Item | undefined {
    const struct = this.#structAt(client, clock);
    return struct instanceof Y.Item ? struct : undefined;
  }

  /** The struct of the update at an address. */
  recordAt({ client, clock }: StructId): StructRecord | undefined {
    const incoming = this.#incoming.get(client);
    return incoming?.structs[indexAt(incoming, clock)];
  }

  #structAt(client: number, clock: number): Y.Item | Y.GC | undefined {
    return structAt(this.#doc, client, clock);
  }

  /** The list that the struct at an address is in: of the document, or placed before. */
  placeAt({ client, clock }: StructId): ListPlace {
    const struct = this.#structAt(client, clock);
    if (struct instanceof Y.Item) return this.#placeOfItem(struct);
    if (struct !== undefined) return GONE;
    const incoming = this.#incoming.get(client);
    const place = incoming?.places[indexAt(incoming, clock) - incoming.first];
    if (place === undefined) throw new ImpossibleStruct("neighbour");
    return place;
  }

  /** The text of the node that a note belongs to. */
  nodeOfNote(note: Owner): Owner | undefined {
    if (!isSharedType(note)) return this.placeAt(note).owner;
    const holder = holderOf(note);
    return holder === null ? undefined : this.#placeOfItem(holder).owner;
  }

  #placeOfItem(item: Y.Item): ListPlace {
    const owner = item.parent as Y.AbstractType<unknown>;
    return { list: this.#listOf(owner), owner, sub: item.parentSub };
  }

  /** The list of a type that stands at an address. */
  #placeIn({ client, clock }: StructId, sub: string | null): ListPlace {
    const struct = this.#structAt(client, clock);
    if (struct instanceof Y.Item) {
      // Yjs drops what is put into a deleted type whose content was collected.
      if (struct.content instanceof Y.ContentDeleted) return GONE;
      if (!(struct.content instanceof Y.ContentType)) throw new ImpossibleStruct("parent");
      const owner: SharedType = struct.content.type;
      return { list: this.#listOf(owner), owner, sub };
    }
    if (struct !== undefined) return GONE;
    const record = this.recordAt({ client, clock });
    if (record?.content.kind === "gc" || record?.content.kind === "deleted") return GONE;
    if (record?.content.kind !== "type") throw new ImpossibleStruct("parent");
    return { list: listInside(this.placeAt(record)), owner: record, sub };
  }

  #listOf(type: SharedType): ListKind {
    if (type === this.#nodes) return "nodes";
    const holder = holderOf(type);
    return holder === null ? this.#rootListOf(type) : listInside(this.#placeOfItem(holder));
  }

  #rootListOf(type: SharedType): ListKind {
    for (const name of ROOTS) if (this.#root(name).owner === type) return name;
    return "gone";
  }

  #root(name: string | undefined): { readonly list: ListKind; readonly owner: SharedType } {
    switch (name) {
      case "nodes":
        return { list: name, owner: this.#nodes };
      case "keys":
        return { list: name, owner: shortcutsOf(this.#doc) };
      case "clk":
        return { list: name, owner: marksOf(this.#doc) };
      case "meta":
        return { list: name, owner: metaOf(this.#doc) };
      default:
        throw new ImpossibleStruct("root");
    }
  }
}

const ROOTS = ["nodes", "keys", "clk", "meta"] as const;

/** What a type holds that stands at a place. */
function listInside({ list, sub }: ListPlace): ListKind {
  if (list === "nodes") return "name";
  return list === "name" && sub !== null && isNoteAttribute(sub) ? "note" : "gone";
}

/** The index of the struct that covers a clock; -1 when none does. */
function indexAt({ structs }: Incoming, clock: number): number {
  const index = countWhile(structs.length, (each) => (structs[each]?.clock ?? 0) <= clock) - 1;
  const struct = structs[index];
  return struct !== undefined && clock < struct.clock + struct.length ? index : -1;
}
