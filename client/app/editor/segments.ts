import type { Formats, RichText } from "../../../src/core/text/rich-text.ts";
import { type TagPlace, tagsIn } from "../../../src/core/search/tags.ts";
import { type AddressPlace, addressesIn } from "./addresses.ts";

/** A stretch of text that is one element (or plain text) on the page. */
export interface Segment {
  readonly text: string;
  readonly formats: Formats | undefined;
  /** The tag or mention that it is, with its mark. */
  readonly tag: string | undefined;
  /** Where it leads, when it is an address that somebody has written out. */
  readonly href?: string;
}

/** More elements than that make browsers slow with every letter: what comes later is plain text. */
const MAX_PLACES = 200;

/**
 * Cuts a text into what is shown differently. Tags and addresses
 * mean nothing in links, code and dates.
 * @param isLiteral a code block: neither formats nor tags are shown
 */
export function segmentsOf(text: RichText, isLiteral = false): readonly Segment[] {
  if (isLiteral) {
    const plain = text.map((run) => run.insert).join("");
    return plain === "" ? [] : [{ text: plain, formats: undefined, tag: undefined }];
  }
  const segments: Segment[] = [];
  let places = 0;
  for (const { insert, attributes: formats } of text) {
    const isPlace =
      formats !== undefined && ("a" in formats || "code" in formats || "d" in formats);
    let at = 0;
    for (const place of isPlace ? [] : placesIn(insert)) {
      if (++places > MAX_PLACES) break;
      const { from, to } = place;
      if (from > at) segments.push({ text: insert.slice(at, from), formats, tag: undefined });
      const text = insert.slice(from, to);
      segments.push(
        "tag" in place
          ? { text, formats, tag: place.tag }
          : { text, formats, tag: undefined, href: place.href },
      );
      at = to;
    }
    if (at < insert.length) segments.push({ text: insert.slice(at), formats, tag: undefined });
  }
  return segments;
}

/** In their order; what looks like a tag in an address is part of that. */
function placesIn(text: string): readonly (TagPlace | AddressPlace)[] {
  const addresses = addressesIn(text);
  const tags = tagsIn(text);
  if (addresses.length === 0) return tags;
  let next = 0;
  const outside = tags.filter(({ from }) => {
    while ((addresses[next]?.to ?? Infinity) <= from) next++;
    return from < (addresses[next]?.from ?? Infinity);
  });
  return [...addresses, ...outside].toSorted((a, b) => a.from - b.from);
}

/** Whether two segments differ in nothing but their letters. */
export function isSameKind(a: Segment, b: Segment): boolean {
  if ((a.tag === undefined) !== (b.tag === undefined)) return false;
  if ((a.href === undefined) !== (b.href === undefined)) return false;
  if (a.formats === b.formats) return true;
  const keys = Object.keys(a.formats ?? {});
  return (
    keys.length === Object.keys(b.formats ?? {}).length &&
    keys.every((key) => a.formats?.[key] === b.formats?.[key])
  );
}
