import * as Y from "yjs";
import type { NodeKey } from "./node-key.ts";
import { type Gap, gapsBeside } from "./same-edit.ts";
import { nodesOf, ownerOf } from "./schema.ts";
import type { DeleteSection } from "./update-reader.ts";

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
  /** Nodes that are new [Q40]. */
  readonly #made = new Set<NodeKey>();
  /** Pairs of clock and length [Q40]. */
  readonly #deletedAgain = new Map<number, number[]>();

  /** Whether there is nothing to compare. */
  get isQuiet(): boolean {
    return this.#gaps.size === 0 && (this.#made.size === 0 || this.#deletedAgain.size === 0);
  }

  /** Made by others, if anything was deleted by two. */
  get made(): readonly NodeKey[] {
    return this.#deletedAgain.size === 0 ? [] : [...this.#made];
  }

  get gaps(): readonly Gap[] {
    return [...this.#gaps.values()];
  }

  /** Notes what an author has deleted without having seen that it is deleted. */
  noteDeletedAgain(sections: readonly DeleteSection[]): void {
    for (const { client, ranges } of sections) {
      const own = this.#deletedAgain.get(client) ?? [];
      own.push(...ranges);
      this.#deletedAgain.set(client, own);
    }
  }

  /** How many characters at the end of a text two have deleted, neither of them knowing of the other. */
  deletedAtEnd(text: Y.Text): number {
    let length = 0;
    for (let item = text._start; item !== null; item = item.right) {
      if (!item.deleted && item.countable) length = 0;
      else if (item.deleted) length += this.#lengthDeletedAgain(item);
    }
    return length;
  }

  #lengthDeletedAgain({ id, length }: Y.Item): number {
    const ranges = this.#deletedAgain.get(id.client) ?? [];
    let common = 0;
    for (let at = 0; at < ranges.length; at += 2) {
      const from = ranges[at] ?? 0;
      const to = from + (ranges[at + 1] ?? 0);
      common += Math.max(0, Math.min(to, id.clock + length) - Math.max(from, id.clock));
    }
    return common;
  }

  /** To be called after a transaction, before its garbage is collected. */
  note({ doc, beforeState, afterState }: Y.Transaction): void {
    const nodes = nodesOf(doc);
    for (const [client, end] of afterState) {
      const from = beforeState.get(client) ?? 0;
      if (from === end) continue;
      if (!this.#clocks.has(client)) this.#clocks.set(client, from);
      const structs = doc.store.clients.get(client) ?? [];
      for (let index = Y.findIndexSS(structs, from); index < structs.length; index++) {
        const item = structs[index];
        if (!(item instanceof Y.Item)) continue;
        if (item.parent === nodes && item.parentSub !== null && this.#made.size < MAX_GAPS) {
          this.#made.add(item.parentSub as NodeKey);
        }
        for (const gap of gapsBeside(item, this.isDeletedTwice)) {
          if (this.#gaps.size >= MAX_GAPS || ownerOf(nodes, gap.text) === undefined) continue;
          this.#gaps.set(nameOf(gap), gap);
        }
      }
    }
  }

  /** Whether two deleted an item, all of it, neither of them knowing of the other. */
  readonly isDeletedTwice = (item: Y.Item): boolean =>
    this.#deletedAgain.size > 0 && item.deleted && this.#lengthDeletedAgain(item) === item.length;

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
  }
}

function nameOf({ text, left, right }: Gap): string {
  const ids = [text._item?.id, left, right].map((id) => id && `${id.client}:${id.clock}`);
  return ids.join(" ");
}
