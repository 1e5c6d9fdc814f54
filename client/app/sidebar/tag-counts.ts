import type { NodeKey } from "../../../src/core/node-key.ts";
import { tagsIn } from "../../../src/core/search/tags.ts";
import type { Replica } from "../../lib/replica.ts";
import { plainNameOf } from "../page/node-names.ts";
import { inSlices } from "../state/in-slices.ts";
import { Cell } from "../state/source.ts";

/** A tag with the number of lines that have it. */
export interface TagCount {
  readonly tag: string;
  readonly count: number;
}

/** Lines that are read at a stretch: a millisecond or two. */
const SLICE = 400;
/** A burst of edits counts once. */
const TOLD_AFTER_MS = 400;

/**
 * How many lines have which tag: read once, in slices, then kept up with each line that changes. Only
 * lines with tags take room.
 */
export class TagCounts {
  readonly counts = new Cell<readonly TagCount[]>([]);
  readonly #replica: Replica;
  readonly #tags = new Map<NodeKey, readonly string[]>();
  readonly #lines = new Map<string, number>();
  readonly #stopReplaced: () => void;
  #stops: readonly (() => void)[] = [];
  #timer: number | undefined;

  constructor(replica: Replica) {
    this.#replica = replica;
    this.#stopReplaced = replica.onReplaced(() => this.#begin());
    this.#begin();
  }

  close(): void {
    this.#end();
    this.#stopReplaced();
  }

  #begin(): void {
    this.#end();
    this.#tags.clear();
    this.#lines.clear();
    const { outline } = this.#replica;
    this.#stops = [
      inSlices(this.#readAll()),
      outline.onChange(({ nodes }) => {
        for (const key of nodes) this.#read(key);
      }),
    ];
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  *#readAll(): Generator<void, void> {
    const { tree } = this.#replica.outline;
    const pending = [...tree.root.children];
    let count = 0;
    for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
      this.#read(row.key);
      for (const child of row.children) pending.push(child);
      if (++count % SLICE === 0) yield;
    }
  }

  #read(key: NodeKey): void {
    const { outline } = this.#replica;
    const written = outline.has(key) ? plainNameOf(outline, key) : "";
    const tags = [...new Set(tagsIn(written).map(({ tag }) => tag.toLowerCase()))];
    const before = this.#tags.get(key) ?? [];
    if (tags.join(" ") === before.join(" ")) return;
    for (const tag of before) this.#add(tag, -1);
    for (const tag of tags) this.#add(tag, 1);
    if (tags.length === 0) this.#tags.delete(key);
    else this.#tags.set(key, tags);
    this.#timer ??= setTimeout(() => this.#tell(), TOLD_AFTER_MS);
  }

  #add(tag: string, step: number): void {
    const count = (this.#lines.get(tag) ?? 0) + step;
    if (count > 0) this.#lines.set(tag, count);
    else this.#lines.delete(tag);
  }

  #tell(): void {
    this.#timer = undefined;
    const all = Array.from(this.#lines, ([tag, count]): TagCount => ({ tag, count }));
    this.counts.set(all.toSorted((a, b) => b.count - a.count || a.tag.localeCompare(b.tag)));
  }
}
