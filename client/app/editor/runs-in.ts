import type { RichText } from "../../../src/core/text/rich-text.ts";

/** The runs of a text that reach into a range. */
export function runsIn(text: RichText, from: number, to: number): RichText {
  let at = 0;
  return text.filter(({ insert }) => {
    const start = at;
    at += insert.length;
    return at > from && start < to;
  });
}

/** Whether all characters of a range have a format. */
export function hasFormat(text: RichText, from: number, to: number, format: string): boolean {
  return runsIn(text, from, to).every(({ attributes }) => attributes?.[format] !== undefined);
}
