/** A tag or a mention in a text, with its mark: `#home`, `@ann`. Offsets are in UTF-16 units. */
export interface TagPlace {
  readonly tag: string;
  readonly from: number;
  readonly to: number;
}

/** Behind what is no letter or digit; begins with one, and does not end with punctuation. */
const TAG =
  /(?<![\p{L}\p{N}_&/#@])[#@][\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_:./-]*[\p{L}\p{N}\p{M}_])?/gu;

/** The tags and mentions in a text. Linear in its length. */
export function tagsIn(text: string): readonly TagPlace[] {
  if (!text.includes("#") && !text.includes("@")) return [];
  return Array.from(text.matchAll(TAG), ({ 0: tag, index }) => ({
    tag,
    from: index,
    to: index + tag.length,
  }));
}
