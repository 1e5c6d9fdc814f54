import { shownPlaceOf } from "../../core/change-recorder.ts";
import { type NodeKey, ROOT } from "../../core/node-key.ts";
import type { Outline } from "../../core/outline.ts";
import type { ChangeJournal, NodeChange } from "./change-journal.ts";

/** A stretch of time: from after one change to after another. */
interface Stretch {
  readonly key: NodeKey;
  readonly from: number;
  readonly to: number;
  /** What has to be above the node: the node within which is looked, and from there the top level. */
  readonly above: NodeKey;
}

/** What nobody can be asked to wait for: it takes a second or so. */
const MOST_STEPS = 5_000_000;
/** For one node, which is looked at in one go: a millisecond or so. */
const MOST_AT_ONCE = 20_000;

/** It takes too long to find out. */
export class TooLongAgoError extends Error {
  override readonly name = "TooLongAgoError";
}

/**
 * Whether nodes were in sight, visible and within some node, at any time since a change. Each change of
 * a place says where the node was before, so all that was is known, of what is there and what is not.
 */
export class PastPlaces {
  readonly #outline: Outline;
  readonly #journal: Pick<ChangeJournal, "latest" | "last">;
  readonly #since: number;
  readonly #within: NodeKey;
  #steps = 0;

  constructor(
    outline: Outline,
    journal: Pick<ChangeJournal, "latest" | "last">,
    since: number,
    within: NodeKey,
  ) {
    this.#outline = outline;
    this.#journal = journal;
    this.#since = since;
    this.#within = within;
  }

  /** How much was looked at so far. */
  get steps(): number {
    return this.#steps;
  }

  /**
   * Whether it was in sight; in the whole outline also when that is too much to find out, since nobody
   * minds being told of what they never had. @throws TooLongAgoError
   */
  wasInSight(key: NodeKey): boolean {
    const was = this.#was(key, true) ?? (this.#within === ROOT ? true : undefined);
    if (was === undefined) throw new TooLongAgoError();
    return was;
  }

  /** Whether it was out of sight, or that is too much to find out. @throws TooLongAgoError */
  wasOutOfSight(key: NodeKey): boolean {
    return this.#was(key, false) ?? true;
  }

  /** Without recursion: trees are deep. Undefined when it takes too long to find out. */
  #was(key: NodeKey, inSight: boolean): boolean | undefined {
    const end = this.#steps + MOST_AT_ONCE;
    const above = this.#within;
    const pending: Stretch[] = [{ key, from: this.#since, to: this.#journal.last, above }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (++this.#steps > MOST_STEPS) throw new TooLongAgoError();
      if (this.#steps > end) return undefined;
      const stretch = next.key === next.above ? { ...next, above: ROOT } : next;
      if (stretch.key === ROOT) {
        if ((stretch.above === ROOT) === inSight) return true;
        continue;
      }
      for (const part of this.#partsOf(stretch)) {
        if (part !== undefined) pending.push(part);
        else if (!inSight) return true;
      }
    }
    return false;
  }

  /** What a node was in, one after the other; undefined where it was not shown in anything. */
  *#partsOf({ key, from, to, above }: Stretch): Generator<Stretch | undefined> {
    let place = shownPlaceOf(this.#outline, key);
    let end = to;
    let change: NodeChange | undefined = this.#journal.latest(key);
    for (; change !== undefined && change.number > from; change = change.earlier) {
      this.#steps++;
      if (change.before === undefined) continue;
      if (change.number <= end) {
        yield partIn(place, change.number, end, above);
        end = change.number - 1;
      }
      place = change.before;
    }
    yield partIn(place, from, end, above);
  }
}

function partIn(
  { parent, isHidden }: ReturnType<typeof shownPlaceOf>,
  from: number,
  to: number,
  above: NodeKey,
): Stretch | undefined {
  return parent === undefined || isHidden ? undefined : { key: parent, from, to, above };
}
