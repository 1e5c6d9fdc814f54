import * as Y from "yjs";
import { cleanText, type Tabs } from "./clean-text.ts";
import { htmlOfRichText } from "./html-of-rich-text.ts";
import { isInsidePair } from "./is-inside-pair.ts";
import { escapeText } from "./render.ts";
import { OpenFormats } from "./open-formats.ts";
import { type RichText, RunBuilder } from "./rich-text.ts";
import { firstItem } from "../yjs/inside.ts";

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

/** The same with what takes up places in a text and is none: a character of its own for each. */
export function readWithEmbeds(text: Y.Text): RichText {
  return readItems(firstItem(text), EMBED);
}

/** Same as {@link htmlOfRichText} of {@link readRichText}, about 1 µs for a short plain text. */
export function htmlOfYText(text: Y.Text, tabs?: Tabs): string {
  const plain = plainOf(text);
  return plain === undefined
    ? htmlOfRichText(readRichText(text), tabs)
    : escapeText(cleanText(plain, tabs));
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
export function htmlPieces(text: Y.Text, tabs?: Tabs): Iterable<string> {
  const plain = plainOf(text);
  return plain === undefined
    ? piecesOf(htmlOfRichText(readRichText(text), tabs))
    : escapedPieces(cleanText(plain, tabs));
}

function* escapedPieces(plain: string): Generator<string> {
  for (const piece of piecesOf(plain)) yield escapeText(piece);
}

/** Cuts a text, but no character in two. */
export function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const cut = from + PIECE;
    const to = isInsidePair(text, cut) ? cut + 1 : cut;
    yield text.slice(from, to);
    from = to;
  }
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
