import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import * as Y from "yjs";
import { getOrMake } from "../get-or-make.ts";
import type { Arrivals } from "./arrivals.ts";
import type { ItemId } from "../yjs/item-id.ts";
import { inRanges } from "../yjs/clock-ranges.ts";
import { itemsBetween } from "../yjs/struct-store.ts";
import type { DeleteSection } from "../updates/update-reader.ts";

/** What an update from outside deletes. */
export interface Deletions {
  /** The client id that the update writes under; undefined when it is not one. */
  readonly author: number | undefined;
  /** Of what is not deleted yet, or not all of it. */
  readonly fresh: readonly DeleteSection[];
  /** Of what is deleted. */
  readonly again: readonly DeleteSection[];
  /**
   * The first update that the author had not seen: what that one or a later one has deleted, the author
   * did not know to be deleted, and has deleted too. 0: all of it; infinity: nobody knows, and the
   * update may repeat what others have deleted.
   */
  readonly ownSince: number;
}

/** A character that was deleted. */
export interface DeletedCharacter {
  /** Undefined when it is not known any more which one it was. */
  readonly said: string | undefined;
  /** The update of the log that deleted it first, or one before. */
  readonly seq: number;
  /** The client ids under which it was deleted. */
  readonly by: readonly number[];
}

/** Characters that are remembered in an outline; and of one update: more is no word. */
const MOST = 2_048;
const MOST_OF_UPDATE = 512;
/** Characters of an item that are looked at. */
const MOST_OF_ITEM = 4_096;
const MOST_AUTHORS = 16;
/** Stands for the client id of who deletes and writes nothing. */
export const NOBODY = 0;

/**
 * The characters that were deleted last, and by whom: Yjs forgets both. It tells what two authors made
 * of a word that both changed. What is no longer remembered stays as Yjs has it.
 */
export class DeletedCharacters {
  readonly #arrivals: Arrivals;
  /** By client and clock: at most `MOST` in all [Q40]. */
  readonly #clients = new Map<number, Map<number, DeletedCharacter>>();
  /** The same, the oldest first. */
  #order: ItemId[] = [];
  /** The first update that deleted what one has deleted now who had not seen that. */
  #since = Number.POSITIVE_INFINITY;

  /** What was deleted again [Q40]. */
  #again: ItemId[] = [];

  constructor(arrivals: Arrivals) {
    this.#arrivals = arrivals;
  }

  /** Whether somebody has deleted what was deleted. */
  get hasContested(): boolean {
    return this.#since < Number.POSITIVE_INFINITY;
  }

  /** The characters that have been deleted again, the first of each row. */
  get deletedAgain(): readonly ItemId[] {
    return this.#again.filter(
      ({ client, clock }, index, { [index - 1]: last }) =>
        last === undefined || last.client !== client || last.clock !== clock - 1,
    );
  }

  get(client: number, clock: number): DeletedCharacter | undefined {
    return this.#clients.get(client)?.get(clock);
  }

  /** To be called before an update is applied. @param deletions with `ownAmong` what it deletes again */
  note(doc: Y.Doc, { author = NOBODY, fresh, again, ownSince }: Deletions): void {
    if (lengthOf(fresh) + lengthOf(again) > MOST_OF_UPDATE) return;
    for (const { client, clock, length } of rangesOf(again)) {
      for (let at = clock; at < clock + length; at++) this.#deletedAgain(client, at, author);
    }
    for (const { client, clock, length } of rangesOf(fresh)) {
      for (const item of itemsBetween(doc, client, clock, clock + length)) {
        const from = Math.max(clock, item.id.clock);
        const end = Math.min(clock + length, item.id.clock + item.length);
        for (let at = from; at < end; at++) {
          if (!item.deleted) this.#deleted(item, at, author);
          else if (this.#isUnknownTo(ownSince, client, at)) this.#deletedAgain(client, at, author);
        }
      }
    }
  }

  /**
   * Of what an update deletes again, what its author has deleted without knowing that it is deleted. Of
   * an author who had seen something, only what is remembered.
   */
  ownAmong({ again, ownSince }: Deletions): readonly DeleteSection[] {
    if (ownSince === 0) return again;
    if (ownSince === Number.POSITIVE_INFINITY) return [];
    return again.flatMap(({ client, ranges }) => {
      const clocks = [...(this.#clients.get(client)?.keys() ?? [])].filter((clock) =>
        this.#isUnknownTo(ownSince, client, clock),
      );
      if (clocks.length === 0) return [];
      const own = clocks.sort((a, b) => a - b).filter(inRanges(ranges));
      return own.length === 0 ? [] : [{ client, ranges: own.flatMap((clock) => [clock, 1]) }];
    });
  }

  /** Whether a character was deleted by the first update that somebody had not seen, or a later one. */
  #isUnknownTo(ownSince: number, client: number, clock: number): boolean {
    return (this.get(client, clock)?.seq ?? -1) >= ownSince;
  }

  /** The same for what this replica has written; before its garbage is collected. */
  noteOwn({ doc, deleteSet, local }: Y.Transaction): void {
    if (!local || deleteSet.clients.size === 0) return;
    let left = MOST_OF_UPDATE;
    for (const ranges of deleteSet.clients.values()) for (const { len } of ranges) left -= len;
    if (left < 0) return;
    for (const [client, ranges] of deleteSet.clients) {
      for (const { clock, len } of ranges) {
        for (const item of itemsBetween(doc, client, clock, clock + len)) {
          const end = Math.min(clock + len, item.id.clock + item.length);
          const from = Math.max(clock, item.id.clock);
          for (let at = from; at < end; at++) this.#deleted(item, at, doc.clientID);
        }
      }
    }
  }

  /** The same for an update that was applied before: what its characters were is not known. */
  replay({ author = NOBODY, fresh }: Pick<Deletions, "author" | "fresh">, seq: number): void {
    if (lengthOf(fresh) > MOST_OF_UPDATE) return;
    for (const { client, clock, length } of rangesOf(fresh)) {
      for (let at = clock; at < clock + length; at++) {
        const known = this.get(client, at);
        if (known === undefined) this.#add(client, at, { said: undefined, seq, by: [author] });
        else this.#addAuthor(client, at, known, author);
      }
    }
  }

  /** Of an item, the characters that were deleted since the two last had the same text. */
  charactersOf(item: Y.Item): readonly DeletedCharacter[] {
    const { client, clock } = item.id;
    const own = this.#clients.get(client);
    if (own === undefined || item.length > MOST_OF_ITEM || !this.wasSeen(item)) return [];
    const found: DeletedCharacter[] = [];
    for (let at = clock; at < clock + item.length; at++) {
      const character = own.get(at);
      if (character !== undefined && character.seq >= this.#since) found.push(character);
    }
    return found;
  }

  /** Whether an item was there, as far as two know who both deleted some of what was there. */
  readonly wasThere = (item: Y.Item): boolean => item.deleted && this.wasSeen(item);

  /** Whether an item had come before the first of the two deleted anything. */
  wasSeen({ id }: Y.Item): boolean {
    return this.#arrivals.seqOf(id) < this.#since;
  }

  /** The first update that deleted what another deleted too. */
  get since(): number {
    return this.#since;
  }

  /** Goes back to what had been seen when two deleted the same. */
  resume(since: number): void {
    this.#since = Math.min(this.#since, since);
  }

  /** What was deleted stays known; that it was deleted again does not. */
  clear(): void {
    this.#since = Number.POSITIVE_INFINITY;
    this.#again = [];
  }

  encode(encoder: encoding.Encoder): void {
    encoding.writeVarUint(encoder, this.#order.length);
    for (const { client, clock } of this.#order) {
      const { said, seq, by } = this.get(client, clock) ?? { seq: 0, by: [] };
      encoding.writeVarUint(encoder, client);
      encoding.writeVarUint(encoder, clock);
      encoding.writeVarString(encoder, JSON.stringify(said ?? null));
      encoding.writeVarUint(encoder, seq);
      encoding.writeVarUint(encoder, by.length);
      for (const author of by) encoding.writeVarUint(encoder, author);
    }
  }

  /** Takes in what `encode` wrote. @throws when the bytes are something else */
  decode(decoder: decoding.Decoder): void {
    for (let left = decoding.readVarUint(decoder); left > 0; left--) {
      const client = decoding.readVarUint(decoder);
      const clock = decoding.readVarUint(decoder);
      const said: unknown = JSON.parse(decoding.readVarString(decoder));
      const seq = decoding.readVarUint(decoder);
      const by: number[] = [];
      for (let more = decoding.readVarUint(decoder); more > 0; more--) {
        by.push(decoding.readVarUint(decoder));
      }
      this.#add(client, clock, { said: typeof said === "string" ? said : undefined, seq, by });
    }
  }

  #deleted({ id, content, parent, parentSub }: Y.Item, clock: number, author: number): void {
    if (!(parent instanceof Y.Text) || parentSub !== null) return;
    if (!(content instanceof Y.ContentString)) return;
    const said = content.str.charAt(clock - id.clock);
    this.#add(id.client, clock, { said, seq: this.#arrivals.latest + 1, by: [author] });
  }

  #deletedAgain(client: number, clock: number, author: number): void {
    const known = this.get(client, clock);
    if (known === undefined || known.by.includes(author)) return;
    this.#addAuthor(client, clock, known, author);
    this.#since = Math.min(this.#since, known.seq);
    if (this.#again.length < MOST_OF_UPDATE) this.#again.push({ client, clock });
  }

  #addAuthor(client: number, clock: number, known: DeletedCharacter, author: number): void {
    if (known.by.includes(author) || known.by.length === MOST_AUTHORS) return;
    this.#clients.get(client)?.set(clock, { ...known, by: [...known.by, author] });
  }

  #add(client: number, clock: number, character: DeletedCharacter): void {
    const own = getOrMake(this.#clients, client, () => new Map());
    if (own.has(clock)) return;
    own.set(clock, character);
    this.#order.push({ client, clock });
    if (this.#order.length < 2 * MOST) return;
    for (const old of this.#order.splice(0, MOST)) {
      const others = this.#clients.get(old.client);
      others?.delete(old.clock);
      if (others?.size === 0) this.#clients.delete(old.client);
    }
  }
}

interface Range {
  readonly client: number;
  readonly clock: number;
  readonly length: number;
}

function* rangesOf(sections: readonly DeleteSection[]): Generator<Range> {
  for (const { client, ranges } of sections) {
    for (let at = 0; at < ranges.length; at += 2) {
      yield { client, clock: ranges[at] ?? 0, length: ranges[at + 1] ?? 0 };
    }
  }
}

function lengthOf(sections: readonly DeleteSection[]): number {
  let length = 0;
  for (const range of rangesOf(sections)) length += range.length;
  return length;
}
