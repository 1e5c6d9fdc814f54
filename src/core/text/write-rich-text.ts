import * as Y from "yjs";
import { MAX_FOREIGN_FORMATS } from "./open-formats.ts";
import { isKnownFormat, plainText, type RichText, sameRichText } from "./rich-text.ts";
import { hunksInSteps } from "./text-diff.ts";
import { withinMarks } from "./text-limits.ts";
import { mergeOps, type TwoSides } from "./text-merge.ts";
import { readRichText, readWithEmbeds } from "./y-text.ts";
import { firstItem } from "../yjs/inside.ts";

/**
 * Edits the text with the smallest difference that makes it `wanted`: words that stay keep their
 * identity, inserted text gets exactly the formats it should have. With `base`, the text that
 * `wanted` was made from, only the difference between these two is applied, so that what others have
 * changed since then survives in its place. One transaction; none at all when nothing changes. Formats
 * that are more than a text may have are not written.
 *
 * @param sides what either side has changed in `base`, when that is known and need not be guessed
 * @returns whether anything has changed
 */
export function writeRichText(
  text: Y.Text,
  wanted: RichText,
  base?: RichText,
  sides?: TwoSides,
): boolean {
  const current = readWithEmbeds(text);
  const bounded = withinMarks(wanted);
  if (sameRichText(current, bounded)) return false;
  if (hasTooManyFormats(text)) {
    writeAll(text, bounded);
    return true;
  }
  const ops = mergeOps(base ?? readRichText(text), bounded, current, sides);
  // Yjs fills in the attributes it is given, so each operation has its own.
  if (ops.length > 0) text.applyDelta([...ops]);
  return ops.length > 0;
}

/** Whether there are more unknown formats than one text may have, from before there was a limit. */
function hasTooManyFormats(text: Y.Text): boolean {
  const foreign = new Set<string>();
  for (let item = firstItem(text); item !== null; item = item.right) {
    const { content } = item;
    if (item.deleted || !(content instanceof Y.ContentFormat) || isKnownFormat(content.key))
      continue;
    foreign.add(content.key);
    if (foreign.size > MAX_FOREIGN_FORMATS) return true;
  }
  return false;
}

/** In place of all there is, marks too: each insertion between them would end and begin them all. */
function writeAll(text: Y.Text, wanted: RichText): void {
  const write = (transaction: Y.Transaction): void => {
    for (let item = firstItem(text); item !== null; item = item.right) item.delete(transaction);
    text.applyDelta(wanted.map(({ insert, attributes }) => ({ insert, attributes })));
  };
  if (text.doc !== null) text.doc.transact(write);
}

/**
 * What `writeRichText` has to know of differences, in steps of a few milliseconds.
 * @param texts what is there; several that will be one, a line for each
 */
export function* sidesInSteps(
  texts: readonly Y.Text[],
  wanted: RichText,
  base: RichText,
): Generator<void, TwoSides> {
  const before = plainText(base);
  const [first = "", ...others] = texts
    .filter((text) => text.length > 0)
    .map((text, index) => plainText(index === 0 ? readWithEmbeds(text) : readRichText(text)));
  const ours = yield* hunksInSteps(before, plainText(wanted));
  const theirs = yield* hunksInSteps(before, [first, ...others].join("\n"));
  return { ours, theirs };
}
