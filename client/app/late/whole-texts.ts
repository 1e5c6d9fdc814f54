import type * as Y from "yjs";
import type { RichText } from "../../../src/core/text/rich-text.ts";
import type { TwoSides } from "../../../src/core/text/text-merge.ts";

/**
 * Stands in for that of `write-rich-text.ts`. What a person writes comes as edits at single places, and a
 * page gives the core a whole text only where it empties one: what is there need not be compared with
 * that, and goes.
 * @returns whether anything has changed
 */
export function writeRichText(text: Y.Text, wanted: RichText): boolean {
  if (text.length === 0 && wanted.length === 0) return false;
  text.delete(0, text.length);
  text.applyDelta(wanted.map(({ insert, attributes = {} }) => ({ insert, attributes })));
  return true;
}

/** The same. */
// oxlint-disable-next-line eslint/require-yield -- what it stands in for takes steps
export function* sidesInSteps(): Generator<void, TwoSides> {
  return { ours: [], theirs: [] };
}
