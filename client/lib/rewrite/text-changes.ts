import * as Y from "yjs";
import {
  type FormatValue,
  plainText,
  type RichText,
  RunBuilder,
} from "../../../src/core/text/rich-text.ts";
import { hunksBetween } from "../../../src/core/text/text-diff.ts";
import type { Hunk } from "../../../src/core/text/word-diff.ts";
import type { UnsentStructs } from "./unsent-structs.ts";
import { firstItem } from "../../../src/core/yjs/inside.ts";
import { structAt } from "../../../src/core/yjs/struct-store.ts";

/** What became of a text here and elsewhere. */
export interface TextChanges {
  /** What it said before both. */
  readonly base: RichText;
  /** From there to what it says here. */
  readonly ours: readonly Hunk[];
  /** From there to what it says elsewhere. */
  readonly theirs: readonly Hunk[];
}

/**
 * What unsent updates changed in a text, and what others changed in it since, character by character:
 * each is known by its id. Before both, the text was without what the updates wrote, and with what
 * they deleted, as far as nobody else has deleted it too. Deleted characters are gone from the
 * replica that has deleted them, so they are looked up in the other one, which knows nothing of the
 * deletion.
 */
export function textChanges(here: Y.Text, there: Y.Text, unsent: UnsentStructs): TextChanges {
  const ours = new HunkList();
  const runs = new RunBuilder();
  const formats = new Map<string, FormatValue>();
  const places = new Map<string, number>();
  /** Adds a part of an item to the base; false when it is no text. */
  const take = ({ content, id }: Y.Item, from: number, to: number): boolean => {
    if (content instanceof Y.ContentString) {
      const current = formats.size === 0 ? undefined : Object.fromEntries(formats);
      runs.add(content.str.slice(from, to), current);
      for (let at = from; at < to; at++) places.set(nameOf(id.client, id.clock + at), places.size);
      return true;
    }
    if (content instanceof Y.ContentFormat) {
      const { key, value }: { key: string; value: unknown } = content;
      if (value === true || typeof value === "string") formats.set(key, value);
      else formats.delete(key);
    }
    return false;
  };
  for (let item = firstItem(here); item !== null; item = item.right) {
    // Yjs joins neighbours, so that what is sent and what is not can be one item.
    for (let at = 0, end = 0; at < item.length; at = end) {
      end = at + 1;
      const id = idIn(item, at);
      if (unsent.hasWritten(id)) {
        if (!item.deleted && item.content instanceof Y.ContentString) ours.add(1);
      } else if (!item.deleted) {
        while (end < item.length && !unsent.hasWritten(idIn(item, end))) end += 1;
        if (take(item, at, end)) ours.keep(end - at);
      } else if (unsent.hasDeleted(id)) {
        const living = livingItem(there.doc, id);
        const offset = living === undefined ? 0 : id.clock - living.id.clock;
        if (living !== undefined && take(living, offset, offset + 1)) ours.remove(1);
      }
    }
  }
  return { base: runs.finish(), ours: ours.finish(), theirs: theirChanges(there, places) };
}

/**
 * The same for two texts that have no characters in common, though they stand for one: both were made
 * for the same node. What they say alike is taken for what was there before both, so that it is there
 * once, and nothing that only one of them says is lost. Between changes that is what either says once:
 * a sign or a word that is everywhere says nothing of what was there, and would cut what was typed.
 */
export function changesFromAlike(here: RichText, there: RichText): TextChanges {
  const [said, saidThere] = [plainText(here), plainText(there)];
  const [ours, theirs] = [new HunkList(), new HunkList()];
  const hunks = hunksBetween(saidThere, said);
  let base = "";
  let from = 0;
  const keep = (to: number, isBetween: boolean): void => {
    const kept = saidThere.slice(from, to);
    const isCommon =
      !isBetween || (isMoreThanASign(kept) && isOnceIn(saidThere, kept) && isOnceIn(said, kept));
    if (isCommon) base += kept;
    for (const side of [ours, theirs]) {
      if (isCommon) side.keep(kept.length);
      else side.add(kept.length);
    }
  };
  for (const [index, hunk] of hunks.entries()) {
    keep(hunk.from, index > 0);
    theirs.add(hunk.to - hunk.from);
    ours.add(hunk.end - hunk.start);
    from = hunk.to;
  }
  keep(saidThere.length, false);
  return {
    base: base === "" ? [] : [{ insert: base }],
    ours: ours.finish(),
    theirs: theirs.finish(),
  };
}

function isMoreThanASign(text: string): boolean {
  return text.length > String.fromCodePoint(text.codePointAt(0) ?? 0).length;
}

function isOnceIn(text: string, part: string): boolean {
  return text.indexOf(part) === text.lastIndexOf(part);
}

/** @param places where the characters of the base are in it, in their order */
function theirChanges(text: Y.Text, places: ReadonlyMap<string, number>): readonly Hunk[] {
  const theirs = new HunkList();
  let next = 0;
  for (let item = firstItem(text); item !== null; item = item.right) {
    if (item.deleted || !item.countable) continue;
    for (let at = 0; at < item.length; at++) {
      const place = places.get(nameOf(item.id.client, item.id.clock + at));
      if (place === undefined || place < next) {
        theirs.add(1);
        continue;
      }
      theirs.remove(place - next);
      theirs.keep(1);
      next = place + 1;
    }
  }
  theirs.remove(places.size - next);
  return theirs.finish();
}

/** Adds up what is kept, removed and added to hunks. */
class HunkList {
  readonly #hunks: Hunk[] = [];
  #from = 0;
  #to = 0;
  #start = 0;
  #end = 0;

  keep(length: number): void {
    this.finish();
    this.#from = this.#to += length;
    this.#start = this.#end += length;
  }

  remove(length: number): void {
    this.#to += length;
  }

  add(length: number): void {
    this.#end += length;
  }

  finish(): readonly Hunk[] {
    const hunk = { from: this.#from, to: this.#to, start: this.#start, end: this.#end };
    if (hunk.from < hunk.to || hunk.start < hunk.end) this.#hunks.push(hunk);
    this.#from = this.#to;
    this.#start = this.#end;
    return this.#hunks;
  }
}

function idIn(item: Y.Item, offset: number): Y.ID {
  return Y.createID(item.id.client, item.id.clock + offset);
}

function nameOf(client: number, clock: number): string {
  return `${client} ${clock}`;
}

/** The item that holds an id, unless it is deleted or not there. */
export function livingItem(doc: Y.Doc | null, { client, clock }: Y.ID): Y.Item | undefined {
  const struct = doc === null ? undefined : structAt(doc, client, clock);
  return struct instanceof Y.Item && !struct.deleted ? struct : undefined;
}
