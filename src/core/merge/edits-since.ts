import * as Y from "yjs";
import { mergedRanges, rangeBehind } from "../yjs/clock-ranges.ts";
import { getOrMake } from "../get-or-make.ts";
import type { NodeKey } from "../node-key.ts";
import type { Arrivals } from "./arrivals.ts";
import { DeletedCharacters, type Deletions } from "./deleted-characters.ts";
import { type Gap, gapAround, gapsBeside, isSame, itemAt } from "./gap.ts";
import type { ItemId } from "../yjs/item-id.ts";
import { itemsBetween } from "../yjs/struct-store.ts";
import { nodesOf, ownerOf } from "../schema.ts";
import type { DeleteSection } from "../updates/update-reader.ts";
import { firstItem, holderOf } from "../yjs/inside.ts";

/** Places that are looked at for a word that several changed. */
const MAX_LOOKED = 200;
/** Characters added that are remembered. The others stay where they are. */
const MAX_ADDED = 4_000;
/** Places that are remembered. Of more than that, in one go, the others stay as Yjs has them. */
const MAX_GAPS = 4_000;

/**
 * What others' updates have brought since this was last cleared that its author did without having
 * seen what others did: where in texts that was, and which nodes were made. Looks at each new item
 * once.
 */
export class EditsSince {
  /** At most as many as there are clients [Q40]. */
  readonly #clocks = new Map<number, number>();
  /** By where they are [Q40]. */
  readonly #gaps = new Map<string, Gap>();
  /** Where several changed the same word; by where they are [Q40]. */
  readonly #contested = new Map<string, Gap>();
  /** How often it was looked for such a place. */
  #looked = 0;
  readonly deleted: DeletedCharacters;
  /** By client and clock, what the server has added between words, and since when: at most `MAX_ADDED` [Q40]. */
  readonly #added = new Map<string, number>();
  /** Nodes that are new [Q40]. */
  readonly #made = new Set<NodeKey>();
  /** Pairs of clock and length [Q40]. */
  readonly #deletedAgain = new Map<number, number[]>();
  /** The same in their order, each clock once: of those that were asked for since there were more [Q40]. */
  readonly #merged = new Map<number, readonly number[]>();

  constructor(arrivals: Arrivals) {
    this.deleted = new DeletedCharacters(arrivals);
  }

  /** Whether there is nothing to compare. */
  get isQuiet(): boolean {
    if (this.#contested.size > 0) return false;
    return this.#gaps.size === 0 && (this.#made.size === 0 || this.#deletedAgain.size === 0);
  }

  /** Made by others, if anything was deleted by two. */
  get made(): readonly NodeKey[] {
    return this.#deletedAgain.size === 0 ? [] : [...this.#made];
  }

  get gaps(): readonly Gap[] {
    return [...this.#gaps.values()];
  }

  /** Where authors changed the same word without having seen each other. */
  get contested(): readonly Gap[] {
    return [...this.#contested.values()];
  }

  /** Notes what an update deletes, before it is applied. */
  noteDeletions(doc: Y.Doc, deletions: Deletions): void {
    const again = this.deleted.ownAmong(deletions);
    this.deleted.note(doc, { ...deletions, again });
    this.#noteDeletedAgain(again);
  }

  /** Notes what an author has deleted without having seen that it is deleted. */
  #noteDeletedAgain(sections: readonly DeleteSection[]): void {
    for (const { client, ranges } of sections) {
      getOrMake(this.#deletedAgain, client, () => []).push(...ranges);
      this.#merged.delete(client);
    }
  }

  /**
   * Whether two, neither of them knowing of the other, have deleted these characters at the end of a
   * text. What is not known any more of a character passes for the right one.
   */
  haveDeletedAtEnd(text: Y.Text, said: string): boolean {
    const deleted: Y.Item[] = [];
    for (let item = firstItem(text); item !== null; item = item.right) {
      if (!item.deleted && item.countable) deleted.length = 0;
      else if (item.deleted && this.#isInPartDeletedAgain(item)) deleted.push(item);
    }
    let left = said.length;
    for (const { id, length } of deleted.toReversed()) {
      for (let clock = id.clock + length - 1; clock >= id.clock && left > 0; clock--) {
        if (!this.#wasDeletedAgain(id.client, clock)) continue;
        const known = this.deleted.get(id.client, clock)?.said;
        left -= 1;
        if (known !== undefined && known !== said.charAt(left)) return false;
      }
    }
    return left === 0;
  }

  #isInPartDeletedAgain({ id, length }: Y.Item): boolean {
    const range = this.#deletedAgainBehind(id.client, id.clock);
    return range !== undefined && range.start < id.clock + length;
  }

  #wasDeletedAgain(client: number, clock: number): boolean {
    const range = this.#deletedAgainBehind(client, clock);
    return range !== undefined && range.start <= clock;
  }

  /** Of what was deleted again, the first range that ends behind a clock. */
  #deletedAgainBehind(client: number, clock: number): ReturnType<typeof rangeBehind> {
    const ranges = this.#deletedAgain.get(client);
    if (ranges === undefined) return undefined;
    return rangeBehind(
      getOrMake(this.#merged, client, () => mergedRanges(ranges)),
      clock,
    );
  }

  /** To be called after a transaction, before its garbage is collected. */
  note({ doc, beforeState, afterState }: Y.Transaction): void {
    const nodes = nodesOf(doc);
    this.#noteDeletedBoth(doc, nodes);
    for (const [client, end] of afterState) {
      const from = beforeState.get(client) ?? 0;
      if (from === end) continue;
      if (!this.#clocks.has(client)) this.#clocks.set(client, from);
      for (const item of itemsBetween(doc, client, from, end)) {
        if (item.parent === nodes && item.parentSub !== null && this.#made.size < MAX_GAPS) {
          this.#made.add(item.parentSub as NodeKey);
        }
        for (const gap of gapsBeside(item, this.isDeletedTwice)) {
          if (this.#gaps.size >= MAX_GAPS || ownerOf(nodes, gap.text) === undefined) continue;
          this.#gaps.set(nameOf(gap), gap);
        }
        this.#noteContested(nodes, item);
      }
    }
  }

  /** Looks around what has been deleted again: others may have written something there. */
  #noteDeletedBoth(doc: Y.Doc, nodes: Y.Map<Y.Text>): void {
    for (const { client, clock } of this.deleted.deletedAgain) {
      for (const item of itemsBetween(doc, client, clock, clock + 1)) {
        this.#lookAround(nodes, item);
      }
    }
  }

  #noteContested(nodes: Y.Map<Y.Text>, item: Y.Item): void {
    const { parent: text, parentSub, origin, rightOrigin } = item;
    if (!(text instanceof Y.Text) || parentSub !== null) return;
    const added = item.left === null ? undefined : this.#added.get(nameOfId(item.left.lastId));
    if (added !== undefined && !isSame(item.left?.lastId ?? null, origin)) {
      this.deleted.resume(added);
      this.#lookAround(nodes, item);
      return;
    }
    if (!this.deleted.hasContested) return;
    const isBeside = [origin, rightOrigin].some((id) => {
      const neighbour = id === null ? undefined : itemAt(text, id);
      return neighbour?.deleted === true && this.deleted.charactersOf(neighbour).length > 0;
    });
    if (isBeside) this.#lookAround(nodes, item);
  }

  #lookAround(nodes: Y.Map<Y.Text>, item: Y.Item): void {
    const { parent: text, parentSub } = item;
    if (!(text instanceof Y.Text) || parentSub !== null) return;
    if (this.#looked >= MAX_LOOKED || ownerOf(nodes, text) === undefined) return;
    this.#looked += 1;
    const gap = gapAround(item, (each) => !each.deleted && this.deleted.wasSeen(each));
    if (gap !== undefined) this.#contested.set(nameOf(gap), gap);
  }

  /** Whether an item is what was added to a text in which several changed the same word. */
  readonly isAdded = ({ id }: Y.Item): boolean => this.#added.has(nameOfId(id));

  /** Remembers what was added. */
  noteAdded({ client, clock }: Y.ID, length: number, since: number): void {
    if (length > MAX_ADDED) return;
    if (this.#added.size + length > MAX_ADDED) this.#added.clear();
    for (let at = clock; at < clock + length; at++) {
      this.#added.set(nameOfId({ client, clock: at }), since);
    }
  }

  /** Whether two deleted an item, all of it, neither of them knowing of the other. */
  readonly isDeletedTwice = ({ id, length, deleted }: Y.Item): boolean => {
    if (this.#deletedAgain.size === 0 || !deleted) return false;
    const range = this.#deletedAgainBehind(id.client, id.clock);
    return range !== undefined && range.start <= id.clock && id.clock + length <= range.end;
  };

  /** Whether an item came since this was last cleared, all of it. */
  readonly isNew = ({ id }: Y.Item): boolean => {
    const from = this.#clocks.get(id.client);
    return from !== undefined && id.clock >= from;
  };

  clear(): void {
    this.#clocks.clear();
    this.#gaps.clear();
    this.#made.clear();
    this.#deletedAgain.clear();
    this.#merged.clear();
    this.#contested.clear();
    this.#looked = 0;
    this.deleted.clear();
  }
}

function nameOfId({ client, clock }: ItemId): string {
  return `${client}:${clock}`;
}

function nameOf({ text, left, right }: Gap): string {
  const ids = [holderOf(text)?.id, left, right].map((id) => id && nameOfId(id));
  return ids.join(" ");
}
