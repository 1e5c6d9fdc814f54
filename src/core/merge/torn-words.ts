import * as Y from "yjs";
import { type DeletedCharacters, NOBODY } from "./deleted-characters.ts";
import { type Gap, itemAt, type Question } from "./gap.ts";
import { FORMATTED, type Inserted, type Insertion, type Piece } from "./insertions.ts";
import { leftStem, rightStem } from "../text/stems.ts";
import { isWordBoundary } from "../text/text-diff.ts";
import { mergeOps } from "../text/text-merge.ts";
import { insertBetween } from "../yjs/insert-between.ts";

/** What is to be done where several changed the same word. */
export interface Mending {
  /** What another's says too, and more. */
  readonly contained: readonly Insertion[];
  /** What was added before, and is added anew. */
  readonly replaced: readonly Y.Item[];
  readonly additions: readonly Addition[];
}

/** Characters that are missing in a text. */
export interface Addition {
  readonly text: Y.Text;
  /** The character beside which they belong. */
  readonly beside: Y.ID;
  readonly side: "before" | "behind";
  readonly missing: string;
}

/** What one author made of the word. */
interface Version {
  readonly of: Insertion;
  /** What the author kept of it and others deleted: in front of what was written, and behind it. */
  readonly before: string;
  readonly behind: string;
  /** The beginning and the end of the word, those that all kept too. */
  readonly left: string;
  readonly right: string;
  /**
   * What its author wrote, with what it kept and others deleted of the words that it begins or ends in;
   * undefined when there are formats in it.
   */
  readonly words: string | undefined;
  /** All that its author made of the place; undefined when there are formats in it, or it is long. */
  readonly whole: string | undefined;
  /** Whether those words begin and end in what all kept. */
  readonly isGluedLeft: boolean;
  readonly isGluedRight: boolean;
  /** Whether its author kept nothing that others deleted. */
  readonly isNew: boolean;
}

/** Authors of one word. Where more have changed it, it stays as it is. */
const MAX_AUTHORS = 16;
/** Items that are looked at on either side for what is left of a word, and their characters. */
const MAX_ITEMS = 256;
const MAX_CHARACTERS = 256;
/** Characters of what two made of a place that are compared as a whole. */
const MAX_WHOLE = 1_024;

const NOTHING: Mending = { contained: [], replaced: [], additions: [] };

/**
 * What to do about a gap where several authors each wrote something in the place of the same
 * characters, without having seen each other: Yjs puts that together as if it were one word. Each of
 * them comes to be there as its author wrote it, as words of their own: with what is left of the word
 * on either side, and with what its author kept and others deleted. What is the beginning or the end
 * of another's words is there with these. Between two that have something between them nothing is put.
 * @param isNew whether an item came since the gap was last looked at: one of two neighbours must have
 *   come as a whole
 */
export function mendingOf(
  { insertions, pieces }: Inserted,
  gap: Gap,
  isNew: Question,
  deleted: DeletedCharacters,
): Mending {
  const written = insertions.filter((each) => hasWrittenUnseen(each, pieces, deleted));
  if (written.length === 0 || written.length > MAX_AUTHORS) return NOTHING;
  const before = wasSaid(pieces, deleted);
  const keeps = new Map<Insertion, Kept | undefined>();
  for (const of of written) {
    // Of who wrote nothing with it is known only that it was somebody before, and not the server [D84].
    const isMaybeNobody = !of.items.every(isNew) && of.client !== gap.text.doc?.clientID;
    keeps.set(of, keptBy(of, pieces, deleted, isMaybeNobody));
  }
  const unchanged = before === undefined ? [] : unchangedAmong(written, before, keeps);
  const own = written.filter((each) => !unchanged.includes(each) && isInOnePart(each, pieces));
  if (own.length === 0) return NOTHING;
  const known = [...own, ...unchanged];
  // What was decided before is decided anew, unless somebody has seen it and gone on from there.
  const isAnew = insertions.every((each) => known.includes(each) || each.items.length === 0);
  const added = pieces.flatMap(({ item, of }) => (of === undefined && !item.deleted ? [item] : []));
  const replaced = isAnew ? added : [];
  const isWhole = ({ items }: Insertion): boolean => replaced.length > 0 || items.every(isNew);

  const [left, right] = [leftOf(gap), rightOf(gap)];
  const versions = new Map<Insertion, Version>();
  const additions: Addition[] = [];
  const add = (side: Addition["side"], beside: Y.ID | undefined, missing: string): void => {
    if (beside !== undefined && missing !== "") {
      additions.push({ text: gap.text, beside, side, missing });
    }
  };
  for (const of of own) {
    const kept = keeps.get(of);
    if (kept === undefined) return NOTHING;
    versions.set(of, versionOf(of, kept, left, right));
    for (const { item, missing } of kept.within) add("before", item.id, missing);
  }

  const contained = [
    ...unchanged,
    ...own.filter((each) => isContained(versions, each, before, isWhole)),
  ];
  const standing = standingIn(pieces, isAnew, contained).map((of) => of && versions.get(of));
  for (const [index, version] of standing.entries()) {
    if (version === undefined) continue;
    const { items } = version.of;
    const previous = standing[index - 1];
    if (index === 0) add("before", items[0]?.id, missingBefore(version, left));
    else if (previous !== undefined && (isWhole(previous.of) || isWhole(version.of))) {
      add("before", items[0]?.id, between(previous, version));
    }
    if (index === standing.length - 1) {
      add("behind", items.at(-1)?.lastId, missingBehind(version, right));
    }
  }
  return { contained, replaced, additions };
}

/** Whether an author has written in the place of what others deleted too, and nobody had seen that yet. */
function hasWrittenUnseen(
  each: Insertion,
  pieces: readonly Piece[],
  deleted: DeletedCharacters,
): boolean {
  return (
    each.isByItself &&
    each.items.length > 0 &&
    !each.items.some((item) => deleted.wasSeen(item)) &&
    hasReplaced(each, pieces, deleted)
  );
}

/**
 * What authors have written who came back to what had been there, as an undo does: where others have written
 * something else, that alone is there. Those must have kept no more than a part of a word, or that would go.
 */
function unchangedAmong(
  written: readonly Insertion[],
  before: string,
  keeps: ReadonlyMap<Insertion, Kept | undefined>,
): readonly Insertion[] {
  const unchanged = written.filter((each) => keeps.get(each)?.whole === before);
  const changed = written.filter((each) => !unchanged.includes(each));
  const isOfWord = changed.every((each) => {
    const kept = keeps.get(each);
    return kept !== undefined && !/\s/u.test(kept.before + kept.behind);
  });
  return changed.length > 0 && isOfWord ? unchanged : [];
}

/** Who has written what stands in a place, in its order; undefined for what stays of nobody's. */
function standingIn(
  pieces: readonly Piece[],
  isAnew: boolean,
  contained: readonly Insertion[],
): readonly (Insertion | undefined)[] {
  const standing: (Insertion | undefined)[] = [];
  for (const { item, of } of pieces) {
    const isThere = of === undefined ? !isAnew && !item.deleted : !contained.includes(of);
    if (isThere && (standing.length === 0 || standing.at(-1) !== of)) standing.push(of);
  }
  return standing;
}

/** @param textBefore what stands before the place @param textBehind and what behind it */
function versionOf(
  of: Insertion,
  { before, within, behind, whole }: Kept,
  textBefore: string,
  textBehind: string,
): Version {
  const [left, right] = [leftStem(textBefore + before), rightStem(behind + textBehind)];
  const from = before.length - Math.min(before.length, left.length);
  const end = whole.length - behind.length + Math.min(behind.length, right.length);
  const hasFormats = of.said?.includes(FORMATTED) === true;
  return {
    of,
    before,
    behind,
    left,
    right,
    words: hasFormats ? undefined : whole.slice(from, end),
    whole: hasFormats || whole.length > MAX_WHOLE ? undefined : whole,
    isGluedLeft: left.length > before.length,
    isGluedRight: right.length > behind.length,
    isNew: before + behind === "" && within.length === 0,
  };
}

/** What is missing before the first words of a place. */
function missingBefore({ before, left }: Version, textBefore: string): string {
  const start = lastOf(left, before.length);
  const isGlued = /\S$/u.test(textBefore) && /\s$/u.test(cut(before, left, "end"));
  return isGlued ? ` ${start}` : start;
}

/** What is missing behind the last ones. */
function missingBehind({ behind, right }: Version, textBehind: string): string {
  const end = right.slice(0, behind.length);
  const isGlued = /^\S/u.test(textBehind) && /^\s/u.test(cut(behind, right, "start"));
  return isGlued ? `${end} ` : end;
}

/** What is missing between two. */
function between(one: Version, other: Version): string {
  const stems = one.right + other.left;
  const isApart = /\s$/u.test(one.of.said ?? "") || /^\s/u.test(other.of.said ?? "");
  return isApart && stems === "" ? "" : `${one.right} ${other.left}`;
}

/** Writes what is missing; inside a transaction of the server. Answers where, if it could. */
export function addMissing(transaction: Y.Transaction, addition: Addition): Y.ID | undefined {
  const { text, beside, side, missing } = addition;
  const found = itemAt(text, beside);
  if (found === undefined || found.deleted) return undefined;
  if (!Y.compareIDs(side === "before" ? found.id : found.lastId, beside)) return undefined;
  // The formats of a text begin before it and end behind it.
  let next: Y.Item = found;
  const direction = side === "before" ? "left" : "right";
  for (let item = found[direction]; item?.id.client === beside.client; item = item[direction]) {
    if (item.content instanceof Y.ContentFormat) next = item;
    else if (!item.deleted) break;
  }
  const left = side === "before" ? next.left : next;
  const right = side === "before" ? next : next.right;
  return insertBetween(transaction, text, left, right, missing);
}

/** Whether an author has deleted some of what others deleted too. */
function hasReplaced(
  { client }: Insertion,
  pieces: readonly Piece[],
  deleted: DeletedCharacters,
): boolean {
  return pieces.some(
    ({ item, of }) =>
      of === undefined &&
      deleted
        .charactersOf(item)
        .some(({ by }) => by.length > 1 && (by.includes(client) || by.includes(NOBODY))),
  );
}

/** Whether nobody else's text stands in the middle of what an author wrote. */
function isInOnePart(of: Insertion, pieces: readonly Piece[]): boolean {
  const visible = pieces.filter((piece) => piece.of !== undefined);
  const first = visible.findIndex((piece) => piece.of === of);
  return visible.slice(first, first + of.items.length).every((piece) => piece.of === of);
}

interface Kept {
  readonly before: string;
  /** By the character that stands behind. */
  readonly within: readonly { readonly item: Y.Item; readonly missing: string }[];
  readonly behind: string;
  /** What was written, together with all this. */
  readonly whole: string;
}

/**
 * What an author kept of the word and others deleted; undefined when it is not known any more.
 * @param isMaybeNobody whether what nobody in particular has deleted may have been deleted by the author
 */
function keptBy(
  of: Insertion,
  pieces: readonly Piece[],
  deleted: DeletedCharacters,
  isMaybeNobody: boolean,
): Kept | undefined {
  let before: string | undefined;
  let since = "";
  let whole = "";
  const within: { item: Y.Item; missing: string }[] = [];
  for (const { item, of: author } of pieces) {
    if (author === of) {
      if (before === undefined) before = since;
      else if (since !== "") within.push({ item, missing: since });
      since = "";
      if (item.content instanceof Y.ContentString) whole += item.content.str;
    }
    if (author !== undefined) continue;
    for (const { said, by } of deleted.charactersOf(item)) {
      if (by.includes(of.client) || (isMaybeNobody && by.includes(NOBODY))) continue;
      if (said === undefined) return undefined;
      since += said;
      whole += said;
    }
  }
  return { before: before ?? "", within, behind: since, whole };
}

/**
 * Whether another has written the words of an author too, alone or as the first or last of more. What
 * its author only kept and the other deleted is no reason to keep them twice.
 */
function isContained(
  versions: ReadonlyMap<Insertion, Version>,
  each: Insertion,
  before: string | undefined,
  isWhole: (insertion: Insertion) => boolean,
): boolean {
  const version = versions.get(each);
  if (version?.words === undefined) return false;
  const { words, whole, isNew, isGluedLeft, isGluedRight } = version;
  for (const { of: other, words: more, whole: all, isNew: isAllNew } of versions.values()) {
    if (more === undefined || !isAllNew || !(isWhole(each) || isWhole(other))) continue;
    if (words === more && !isNew) return true;
    if (!isNew && before !== undefined && hasMade(before, whole, all)) return true;
    if (!isGluedRight && isBeginning(words, more)) return true;
    if (!isGluedLeft && isEnd(words, more)) return true;
  }
  return false;
}

/** Whether what one made of a text has all that another changed in it. */
function hasMade(before: string, change: string | undefined, all: string | undefined): boolean {
  if (change === undefined || all === undefined) return false;
  return mergeOps([{ insert: before }], [{ insert: change }], [{ insert: all }]).length === 0;
}

/** What stood in a place before; undefined when it is not known any more, or long. */
function wasSaid(pieces: readonly Piece[], deleted: DeletedCharacters): string | undefined {
  let before = "";
  for (const { item, of } of pieces) {
    if (of !== undefined || !item.deleted) continue;
    for (const { said } of deleted.charactersOf(item)) {
      if (said === undefined) return undefined;
      before += said;
    }
  }
  return before.length > MAX_WHOLE ? undefined : before;
}

/** What an author kept without the part of the word that is at its start or end. */
function cut(kept: string, stem: string, end: "start" | "end"): string {
  const length = Math.max(0, kept.length - stem.length);
  return end === "end" ? kept.slice(0, length) : kept.slice(kept.length - length);
}

/** The last characters of a text. */
function lastOf(text: string, length: number): string {
  return length === 0 ? "" : text.slice(-length);
}

/** Whether a text is the first words of another. */
function isBeginning(text: string, more: string): boolean {
  return text.length < more.length && more.startsWith(text) && isWordBoundary(more, text.length);
}

/** Whether a text is the last words of another. */
function isEnd(text: string, more: string): boolean {
  const from = more.length - text.length;
  return from > 0 && more.endsWith(text) && isWordBoundary(more, from);
}

function leftOf({ text, left }: Gap): string {
  return left === null ? "" : textFrom(itemAt(text, left), "left");
}

function rightOf({ text, right }: Gap): string {
  return right === null ? "" : textFrom(itemAt(text, right), "right");
}

/** The characters from an item on, in one direction, up to the next that has another format. */
function textFrom(start: Y.Item | undefined, direction: "left" | "right"): string {
  let found = "";
  let looked = 0;
  for (let item = start ?? null; item !== null; item = item[direction]) {
    if (++looked > MAX_ITEMS || found.length > MAX_CHARACTERS) break;
    if (item.deleted) continue;
    if (!(item.content instanceof Y.ContentString)) break;
    found = direction === "left" ? item.content.str + found : found + item.content.str;
  }
  return found;
}
