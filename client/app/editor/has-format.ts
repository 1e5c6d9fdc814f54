import type { RichText } from "../../../src/core/text/rich-text.ts";

/** Whether all characters of a range have a format. */
export function hasFormat(text: RichText, from: number, to: number, format: string): boolean {
  let at = 0;
  for (const { insert, attributes } of text) {
    const start = at;
    at += insert.length;
    if (at > from && start < to && attributes?.[format] === undefined) return false;
  }
  return true;
}
