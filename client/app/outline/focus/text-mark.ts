import * as Y from "yjs";
import type { NodeKey } from "../../../../src/core/node-key.ts";
import type { TextPart } from "../../../lib/edit/edits.ts";
import type { Replica } from "../../../lib/replica.ts";

/** A caret or a range in one text, in UTF-16 units; `from` is not behind `to`. */
export interface TextRange {
  readonly key: NodeKey;
  readonly part: TextPart;
  readonly from: number;
  readonly to: number;
}

/**
 * A caret or a range that is remembered by the characters around it, so that it is still the same
 * place when others have written in the text meanwhile.
 */
export interface TextMark {
  readonly key: NodeKey;
  readonly part: TextPart;
  readonly isRange: boolean;
  /** Absent where there was no text at all, as in a note that nobody has written. */
  readonly place?: { readonly from: Y.RelativePosition; readonly to: Y.RelativePosition };
}

/** Remembers a place. What others write at its edges will be outside; a caret stays before it. */
export function markText(
  { edits }: Pick<Replica, "edits">,
  { key, part, from, to }: TextRange,
): TextMark {
  const text = edits.text(key, part);
  const mark = { key, part, isRange: from < to };
  if (text === undefined) return mark;
  const end = Y.createRelativePositionFromTypeIndex(text, Math.min(to, text.length), -1);
  const start = mark.isRange ? Y.createRelativePositionFromTypeIndex(text, from) : end;
  return { ...mark, place: { from: start, to: end } };
}

/**
 * Where a place is now; undefined when its node or its text is gone. A range of which nothing is left
 * is a caret.
 */
export function rangeOfMark(
  { edits, outline }: Pick<Replica, "edits" | "outline">,
  { key, part, place }: TextMark,
): TextRange | undefined {
  if (!outline.has(key)) return undefined;
  if (place === undefined) return { key, part, from: 0, to: 0 };
  const text = edits.text(key, part);
  const [from, to] = [place.from, place.to].map((position) => {
    const found = Y.createAbsolutePositionFromRelativePosition(position, outline.doc);
    return found !== null && found.type === text ? found.index : undefined;
  });
  if (from === undefined || to === undefined) return undefined;
  return { key, part, from: Math.min(from, to), to };
}
