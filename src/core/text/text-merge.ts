import { type Formats, KNOWN_FORMATS, plainText, type RichText, type Run } from "./rich-text.ts";
import { isInsidePair } from "./is-inside-pair.ts";
import { hunksBetween, isWordBoundary } from "./text-diff.ts";
import type { Hunk } from "./word-diff.ts";

/** One step of an edit, in the form that Y.Text applies. A `null` takes a format away. */
export type DeltaOp =
  | { readonly retain: number; readonly attributes?: FormatChange }
  | { readonly insert: string; readonly attributes: Formats }
  | { readonly delete: number };

type FormatChange = Readonly<Record<string, Formats[string] | null>>;

/** The hunks from a common base to the text that is wanted, and to the one that is there. */
export interface TwoSides {
  readonly ours: readonly Hunk[];
  readonly theirs: readonly Hunk[];
}

/**
 * What to do to `current` so that it gets the difference between `base` and `wanted`. What `current`
 * has beyond `base` stays where it is; a change that both made is made once. With `base` equal to
 * `current` the result is `wanted`, except for unknown formats, which are never taken away.
 * @param sides found by comparing the texts when nobody knows better
 * @returns no operations when there is nothing to do
 */
export function mergeOps(
  base: RichText,
  wanted: RichText,
  current: RichText,
  sides?: TwoSides,
): readonly DeltaOp[] {
  return new Merge(base, wanted, current, sides).run();
}

class Merge {
  readonly #base: Cursor;
  readonly #wanted: Cursor;
  readonly #current: Cursor;
  readonly #ops: DeltaOp[] = [];
  /** Kept characters that no operation has been written for yet. */
  #retained = 0;
  readonly #baseText: string;
  readonly #theirs: readonly Hunk[];
  readonly #ours: readonly Hunk[];
  readonly #currentText: string;
  readonly #wantedText: string;

  constructor(base: RichText, wanted: RichText, current: RichText, sides?: TwoSides) {
    this.#baseText = plainText(base);
    this.#wantedText = plainText(wanted);
    this.#currentText = plainText(current);
    this.#ours = sides?.ours ?? hunksBetween(this.#baseText, this.#wantedText);
    this.#theirs = sides?.theirs ?? hunksBetween(this.#baseText, this.#currentText);
    this.#base = new Cursor(base);
    this.#wanted = new Cursor(wanted);
    this.#current = new Cursor(current);
  }

  run(): readonly DeltaOp[] {
    let at = 0;
    let ourIndex = 0;
    let theirIndex = 0;
    let ourEnd = 0;
    let theirEnd = 0;
    for (;;) {
      const ours = this.#ours[ourIndex];
      const theirs = this.#theirs[theirIndex];
      if (theirs?.from === at) {
        theirIndex += 1;
        theirEnd = theirs.to;
        if (ours?.from === theirs.from && ours.to === theirs.to) {
          ourIndex += 1;
          ourEnd = ours.to;
          this.#replaceTwice(ours, theirs);
        } else {
          this.#skip(theirs.end - theirs.start);
        }
        continue;
      }
      if (ours?.from === at) {
        ourIndex += 1;
        ourEnd = ours.to;
        this.#insert(ours.end - ours.start);
        continue;
      }
      if (at === this.#baseText.length) return this.#ops;

      let next = this.#baseText.length;
      for (const stop of [ours?.from, theirs?.from, ourEnd, theirEnd]) {
        if (stop !== undefined && stop > at && stop < next) next = stop;
      }
      this.#passBase(at, next, at < ourEnd, at < theirEnd);
      at = next;
    }
  }

  /** Where both replace the same: what both put there is put once, else theirs comes first. */
  #replaceTwice(ours: Hunk, theirs: Hunk): void {
    const our = this.#wantedText.slice(ours.start, ours.end);
    const their = this.#currentText.slice(theirs.start, theirs.end);
    if (our.startsWith(their) && isWordBoundary(our, their.length)) {
      this.#keep(their.length, false);
      this.#insert(our.length - their.length);
    } else if (our.endsWith(their) && isWordBoundary(our, our.length - their.length)) {
      this.#insert(our.length - their.length);
      this.#keep(their.length, false);
    } else if (their.startsWith(our) && isWordBoundary(their, our.length)) {
      this.#keep(our.length, false);
      this.#skip(their.length - our.length);
    } else if (their.endsWith(our) && isWordBoundary(their, their.length - our.length)) {
      this.#skip(their.length - our.length);
      this.#keep(our.length, false);
    } else {
      this.#skip(their.length);
      this.#insert(our.length);
    }
  }

  /** Goes past characters of the base, which each side has either kept or removed. */
  #passBase(from: number, to: number, isRemovedByUs: boolean, isRemovedByThem: boolean): void {
    const length = to - from;
    if (!isRemovedByUs && !isRemovedByThem) {
      this.#keep(length, true);
      return;
    }
    this.#base.advance(length);
    if (!isRemovedByUs) this.#wanted.advance(length);
    if (!isRemovedByThem) {
      this.#current.advance(length);
      this.#delete(this.#baseText.slice(from, to));
    }
  }

  /**
   * What is put in place of characters goes before the last of them, into what it replaces: others may have
   * written in front of that, and appended to it.
   */
  #delete(text: string): void {
    const before = text.length - (isInsidePair(text, text.length - 1) ? 2 : 1);
    const inserted = this.#ops.findLastIndex((op) => !("insert" in op)) + 1;
    const isReplaced = this.#retained === 0 && inserted < this.#ops.length;
    if (isReplaced && before > 0) this.#ops.splice(inserted, 0, { delete: before });
    this.#write({ delete: isReplaced ? text.length - before : text.length });
  }

  /** Keeps characters that are in `wanted` and `current`, and in `base` too if `isInBase`. */
  #keep(length: number, isInBase: boolean): void {
    for (let left = length; left > 0;) {
      const step = Math.min(
        left,
        this.#wanted.left,
        this.#current.left,
        isInBase ? this.#base.left : left,
      );
      const base = isInBase ? this.#base.formats : undefined;
      const change = formatChange(base, this.#wanted.formats, this.#current.formats);
      if (change === undefined) this.#retained += step;
      else this.#write({ retain: step, attributes: change });
      this.#wanted.advance(step);
      this.#current.advance(step);
      if (isInBase) this.#base.advance(step);
      left -= step;
    }
  }

  /** Leaves alone what only `current` has. */
  #skip(length: number): void {
    this.#current.advance(length);
    this.#retained += length;
  }

  /** Inserts what only `wanted` has. */
  #insert(length: number): void {
    for (let left = length; left > 0;) {
      const { text, formats } = this.#wanted;
      const step = Math.min(left, text.length);
      this.#write({ insert: text.slice(0, step), attributes: { ...formats } });
      this.#wanted.advance(step);
      left -= step;
    }
  }

  #write(op: DeltaOp): void {
    if (this.#retained > 0) this.#ops.push({ retain: this.#retained });
    this.#retained = 0;
    this.#ops.push(op);
  }
}

/** A place in a text. */
class Cursor {
  readonly #runs: readonly Run[];
  #index = 0;
  #offset = 0;

  constructor(runs: RichText) {
    this.#runs = runs;
  }

  get formats(): Formats | undefined {
    return this.#runs[this.#index]?.attributes;
  }

  /** Characters until the formats change; unbounded at the end. */
  get left(): number {
    const run = this.#runs[this.#index];
    return run === undefined ? Infinity : run.insert.length - this.#offset;
  }

  /** The characters until the formats change. */
  get text(): string {
    return this.#runs[this.#index]?.insert.slice(this.#offset) ?? "";
  }

  advance(length: number): void {
    this.#offset += length;
    for (;;) {
      const run = this.#runs[this.#index];
      if (run === undefined || this.#offset < run.insert.length) return;
      this.#offset -= run.insert.length;
      this.#index += 1;
    }
  }
}

/** What to change in `current` for the difference from `base` to `wanted`; undefined for nothing. */
function formatChange(
  base: Formats | undefined,
  wanted: Formats | undefined,
  current: Formats | undefined,
): FormatChange | undefined {
  if (base === wanted || (base === undefined && wanted === undefined)) return undefined;
  const changes: [string, Formats[string] | null][] = [];
  for (const [key, value] of Object.entries(wanted ?? {})) {
    if (base?.[key] !== value && current?.[key] !== value) changes.push([key, value]);
  }
  for (const key of KNOWN_FORMATS) {
    if (base?.[key] === undefined || wanted?.[key] !== undefined) continue;
    if (current?.[key] !== undefined) changes.push([key, null]);
  }
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
