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
  static readonly #ofReplicas = new WeakMap<Replica, TagCounts>();

  readonly counts = new Cell<readonly TagCount[]>([]);
  readonly #replica: Replica;
  readonly #tags = new Map<NodeKey, readonly string[]>();
  readonly #lines = new Map<string, number>();
  #stops: readonly (() => void)[] = [];
  #timer: number | undefined;

  /** The one of a replica; reading begins when it is asked for first. */
  static of(replica: Replica): TagCounts {
    let counts = TagCounts.#ofReplicas.get(replica);
    if (counts === undefined) TagCounts.#ofReplicas.set(replica, (counts = new TagCounts(replica)));
    return counts;
  }

  private constructor(replica: Replica) {
    this.#replica = replica;
    replica.onReplaced(() => this.#begin());
    this.#begin();
  }

  /**
   * The tags that begin with a text, mark included, those of most lines first.
   *
   * @param except a line that is being written: what only it has is not finished yet
   */
  find(start: string, except: NodeKey): readonly TagCount[] {
    const wanted = start.toLowerCase();
    const own = this.#tags.get(this.#replica.outline.heldBy(except)) ?? [];
    const found: TagCount[] = [];
    for (const [tag, lines] of this.#lines) {
      const count = lines - (own.includes(tag) ? 1 : 0);
      if (count > 0 && tag.startsWith(wanted)) found.push({ tag, count });
    }
    return found.toSorted(byCount);
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
    // A mirror is a line that is counted elsewhere.
    const isLine = outline.has(key) && outline.heldBy(key) === key;
    const written = isLine ? plainNameOf(outline, key) : "";
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
    this.counts.set(all.toSorted(byCount));
  }
}

function byCount(a: TagCount, b: TagCount): number {
  return b.count - a.count || a.tag.localeCompare(b.tag);
}
