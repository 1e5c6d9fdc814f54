import type { Formats, RichText } from "../../../src/core/text/rich-text.ts";
import { tagsIn } from "../../../src/core/search/tags.ts";

/** A stretch of text that is one element (or plain text) on the page. */
export interface Segment {
  readonly text: string;
  readonly formats: Formats | undefined;
  /** The tag or mention that it is, with its mark. */
  readonly tag: string | undefined;
}

/** More elements than that make browsers slow with every letter: later tags are plain text. */
const MAX_TAGS = 200;

/**
 * Cuts a text into what is shown differently. Tags mean nothing in links, code and dates.
 * @param isLiteral a code block: neither formats nor tags are shown
 */
export function segmentsOf(text: RichText, isLiteral = false): readonly Segment[] {
  if (isLiteral) {
    const plain = text.map((run) => run.insert).join("");
    return plain === "" ? [] : [{ text: plain, formats: undefined, tag: undefined }];
  }
  const segments: Segment[] = [];
  let tags = 0;
  for (const { insert, attributes: formats } of text) {
    const isPlace =
      formats !== undefined && ("a" in formats || "code" in formats || "d" in formats);
    let at = 0;
    for (const { tag, from, to } of isPlace ? [] : tagsIn(insert)) {
      if (++tags > MAX_TAGS) break;
      if (from > at) segments.push({ text: insert.slice(at, from), formats, tag: undefined });
      segments.push({ text: tag, formats, tag });
      at = to;
    }
    if (at < insert.length) segments.push({ text: insert.slice(at), formats, tag: undefined });
  }
  return segments;
}

/** Whether two segments differ in nothing but their letters. */
export function isSameKind(a: Segment, b: Segment): boolean {
  if ((a.tag === undefined) !== (b.tag === undefined)) return false;
  if (a.formats === b.formats) return true;
  const keys = Object.keys(a.formats ?? {});
  return (
    keys.length === Object.keys(b.formats ?? {}).length &&
    keys.every((key) => a.formats?.[key] === b.formats?.[key])
  );
}
