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

/** A line that has tags. */
interface TaggedLine {
  readonly tags: readonly string[];
  /** It counts: neither it nor what it is in is deleted. */
  isShown: boolean;
}

/**
 * How many lines have which tag: read once, in slices, then kept up with each line that changes. Only
 * lines with tags take room, deleted ones too: they may come back.
 */
export class TagCounts {
  static readonly #ofReplicas = new WeakMap<Replica, TagCounts>();

  readonly counts = new Cell<readonly TagCount[]>([]);
  readonly #replica: Replica;
  readonly #tagged = new Map<NodeKey, TaggedLine>();
  readonly #lines = new Map<string, number>();
  #stops: readonly (() => void)[] = [];
  /** Until all lines have been looked at. */
  #timer: number | undefined;
  /** Something has changed since that began. */
  #isDue = false;
  #stopsLooking: () => void = () => undefined;

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
    const own = this.#tagged.get(this.#replica.outline.heldBy(except))?.tags ?? [];
    const found: TagCount[] = [];
    for (const [tag, lines] of this.#lines) {
      const count = lines - (own.includes(tag) ? 1 : 0);
      if (count > 0 && tag.startsWith(wanted)) found.push({ tag, count });
    }
    return found.toSorted(byCount);
  }

  #begin(): void {
    this.#end();
    this.#tagged.clear();
    this.#lines.clear();
    const { outline } = this.#replica;
    this.#stops = [
      inSlices(this.#readAll()),
      outline.onChange(({ nodes, placed }) => {
        for (const key of nodes) this.#read(key);
        if (placed.size > 0 && this.#tagged.size > 0) this.#tellLater();
      }),
    ];
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stopsLooking();
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  *#readAll(): Generator<void, void> {
    let count = 0;
    for (const { key } of this.#replica.outline.tree.rows()) {
      this.#read(key);
      if (++count % SLICE === 0) yield;
    }
  }

  #read(key: NodeKey): void {
    const { outline } = this.#replica;
    // A mirror is a line that is counted elsewhere.
    const isLine = outline.heldBy(key) === key;
    const written = isLine ? plainNameOf(outline, key) : "";
    const tags = [...new Set(tagsIn(written).map(({ tag }) => tag.toLowerCase()))];
    const before = this.#tagged.get(key);
    if (tags.join(" ") === (before?.tags ?? []).join(" ")) return;
    if (before !== undefined) this.#show(before, false);
    if (tags.length === 0) this.#tagged.delete(key);
    else {
      const line = { tags, isShown: false };
      this.#tagged.set(key, line);
      this.#show(line, outline.has(key));
    }
    this.#tellLater();
  }

  /** Looks which lines are shown now: what is above them may have been deleted, or restored. */
  *#look(): Generator<void, void> {
    this.#isDue = false;
    let count = 0;
    for (const [key, line] of this.#tagged) {
      this.#show(line, this.#replica.outline.has(key));
      if (++count % SLICE === 0) yield;
    }
    const all = Array.from(this.#lines, ([tag, lines]): TagCount => ({ tag, count: lines }));
    this.counts.set(all.toSorted(byCount));
    this.#timer = undefined;
    if (this.#isDue) this.#tellLater();
  }

  #show(line: TaggedLine, isShown: boolean): void {
    if (line.isShown === isShown) return;
    line.isShown = isShown;
    for (const tag of line.tags) this.#add(tag, isShown ? 1 : -1);
  }

  #add(tag: string, step: number): void {
    const count = (this.#lines.get(tag) ?? 0) + step;
    if (count > 0) this.#lines.set(tag, count);
    else this.#lines.delete(tag);
  }

  #tellLater(): void {
    this.#isDue = true;
    this.#timer ??= setTimeout(() => {
      this.#stopsLooking = inSlices(this.#look());
    }, TOLD_AFTER_MS);
  }
}

function byCount(a: TagCount, b: TagCount): number {
  return b.count - a.count || a.tag.localeCompare(b.tag);
}
