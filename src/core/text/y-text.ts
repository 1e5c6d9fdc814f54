import * as Y from "yjs";
import { cleanText } from "./clean-text.ts";
import { htmlOfRichText } from "./html-of-rich-text.ts";
import { escapeText } from "./render.ts";
import { MAX_FOREIGN_FORMATS, OpenFormats } from "./open-formats.ts";
import { isKnownFormat, plainText, type RichText, RunBuilder, sameRichText } from "./rich-text.ts";
import { hunksInSteps } from "./text-diff.ts";
import { withinMarks } from "./text-limits.ts";
import { mergeOps, type TwoSides } from "./text-merge.ts";
import { firstItem } from "../yjs/inside.ts";
import { clockOf } from "../yjs/struct-store.ts";

/**
 * Text inside a Yjs document. Reading walks the list of items itself, since `toDelta` and `toString`
 * take several times as long for a plain name. It relies on these internals of Yjs 13, which its own
 * code uses in the same way: the items of a text follow by `right`; a deleted item says so
 * in `deleted`, whatever its content has become; ContentString holds characters, ContentFormat the
 * start of a format (or its end, when `value` is null); whatever else is countable (embeds, nested
 * types) takes up places and is no text.
 */

/** Stands for an embedded object, which takes one place in a Y.Text and shows nothing. */
const EMBED = "\uFFFC";

/**
 * The visible text. Format values that are neither `true` nor a string are left out, and of formats
 * that are not known here all but those of the first few names.
 */
export function readRichText(text: Y.Text): RichText {
  return readItems(firstItem(text), "");
}

/** Same as {@link htmlOfRichText} of {@link readRichText}, about 1 µs for a short plain text. */
export function htmlOfYText(text: Y.Text): string {
  const plain = plainOf(text);
  return plain === undefined ? htmlOfRichText(readRichText(text)) : escapeText(cleanText(plain));
}

/** The characters of a text without formats; undefined where there is one. */
function plainOf(text: Y.Text): string | undefined {
  let plain = "";
  for (let item = firstItem(text); item !== null; item = item.right) {
    if (item.deleted) continue;
    const { content } = item;
    if (content instanceof Y.ContentString) plain += content.str;
    else if (content instanceof Y.ContentFormat && content.value !== null) return undefined;
  }
  return plain;
}

/** UTF-16 units that are written at a time: some tenths of a millisecond. */
const PIECE = 2 ** 14;

/**
 * What {@link htmlOfYText} answers of the text as it is now, in pieces that are made as they are
 * taken. A text with formats is written at once.
 */
export function htmlPieces(text: Y.Text): Iterable<string> {
  const plain = plainOf(text);
  return plain === undefined
    ? piecesOf(htmlOfRichText(readRichText(text)))
    : escapedPieces(cleanText(plain));
}

function* escapedPieces(plain: string): Generator<string> {
  for (const piece of piecesOf(plain)) yield escapeText(piece);
}

/** Cuts a text, but no character in two. */
export function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const cut = from + PIECE;
    const isWithin = (text.codePointAt(cut - 1) ?? 0) > 0xffff;
    const to = isWithin ? cut + 1 : cut;
    yield text.slice(from, to);
    from = to;
  }
}

export interface Written {
  readonly changed: boolean;
  /** Whether anything was inserted, format marks too: what is only deleted leaves no new item. */
  readonly inserted: boolean;
}

/**
 * Edits the text with the smallest difference that makes it `wanted`: words that stay keep their
 * identity, inserted text gets exactly the formats it should have. With `base`, the text that
 * `wanted` was made from, only the difference between these two is applied, so that what others have
 * changed since then survives in its place. One transaction; none at all when nothing changes. Formats
 * that are more than a text may have are not written.
 *
 * @param sides what either side has changed in `base`, when that is known and need not be guessed
 */
export function writeRichText(
  text: Y.Text,
  wanted: RichText,
  base?: RichText,
  sides?: TwoSides,
): Written {
  const current = readItems(firstItem(text), EMBED);
  const bounded = withinMarks(wanted);
  if (sameRichText(current, bounded)) return { changed: false, inserted: false };
  if (hasTooManyFormats(text)) return writeAll(text, bounded);
  const ops = mergeOps(base ?? readRichText(text), bounded, current, sides);
  if (ops.length === 0) return { changed: false, inserted: false };
  const clockBefore = ownClockOf(text);
  // Yjs fills in the attributes it is given, so each operation has its own.
  text.applyDelta([...ops]);
  return { changed: true, inserted: ownClockOf(text) !== clockBefore || text.doc === null };
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
function writeAll(text: Y.Text, wanted: RichText): Written {
  const write = (transaction: Y.Transaction): void => {
    for (let item = firstItem(text); item !== null; item = item.right) item.delete(transaction);
    text.applyDelta(wanted.map(({ insert, attributes }) => ({ insert, attributes })));
  };
  if (text.doc !== null) text.doc.transact(write);
  return { changed: true, inserted: wanted.length > 0 };
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
    .map((text, index) => plainText(readItems(firstItem(text), index === 0 ? EMBED : "")));
  const ours = yield* hunksInSteps(before, plainText(wanted));
  const theirs = yield* hunksInSteps(before, [first, ...others].join("\n"));
  return { ours, theirs };
}

/** How many items this replica has written. */
function ownClockOf({ doc }: Y.Text): number {
  return doc === null ? 0 : clockOf(doc, doc.clientID);
}

function readItems(start: Y.Item | null, embed: string): RichText {
  const runs = new RunBuilder();
  let open: OpenFormats | undefined;
  for (let item = start; item !== null; item = item.right) {
    if (item.deleted) continue;
    const { content } = item;
    if (content instanceof Y.ContentFormat) {
      open ??= new OpenFormats();
      open.pass(content.key, content.value);
    } else if (content instanceof Y.ContentString) {
      runs.add(content.str, open?.formats);
    } else if (item.countable) {
      runs.add(embed.repeat(item.length), open?.formats);
    }
  }
  return runs.finish();
}
