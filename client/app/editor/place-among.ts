import { type DeltaStep, offsetAfter, type TextDifference } from "./text-difference.ts";

/** Changes by others, one after the other. */
type Changes = readonly (readonly DeltaStep[])[];

/** A stretch of text, the end not included. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** What an edit of the page is in the document, and where the caret is behind it. */
export interface PlacedEdit {
  /** To be made one after the other. */
  readonly edits: readonly TextDifference[];
  readonly head: number;
}

/** Where an offset of the page is in the document, which others have changed since. */
export function offsetAmong(
  changes: Changes,
  offset: number,
  stick: "left" | "right" = "left",
): number {
  return changes.reduce((at, delta) => offsetAfter(delta, at, stick), offset);
}

/**
 * An edit of the page in the document, which others have changed since: it replaces what it replaced,
 * as far as that is still there, and what others have put inside of that stays.
 */
export function editAmong(
  changes: Changes,
  { at, remove, insert }: TextDifference,
  caret: number,
): PlacedEdit {
  const stretches = changes.reduce<readonly Stretch[]>(
    (left, delta) => left.flatMap((stretch) => whatIsLeft(delta, stretch)),
    remove === 0 ? [] : [{ from: at, to: at + remove }],
  );
  const [first, ...others] = stretches;
  const from = first?.from ?? offsetAmong(changes, at);
  const edits = others
    .toReversed()
    .map((stretch) => ({ at: stretch.from, remove: stretch.to - stretch.from, insert: "" }));
  edits.push({ at: from, remove: first === undefined ? 0 : first.to - from, insert });
  const isBehind = caret >= at;
  const head = isBehind ? from + Math.min(caret - at, insert.length) : offsetAmong(changes, caret);
  return { edits, head };
}

/** The parts of a stretch that are there after a change, without what it has put between them. */
function whatIsLeft(delta: readonly DeltaStep[], { from, to }: Stretch): readonly Stretch[] {
  const parts: Stretch[] = [];
  let before = 0;
  let after = 0;
  const keep = (length: number): void => {
    const start = Math.max(from, before);
    const end = Math.min(to, before + length);
    if (start < end) parts.push({ from: start - before + after, to: end - before + after });
    before += length;
    after += length;
  };
  for (const { retain, insert, delete: removed } of delta) {
    if (retain !== undefined) keep(retain);
    else if (removed !== undefined) before += removed;
    else after += typeof insert === "string" ? insert.length : 1;
  }
  keep(Infinity);
  return parts;
}
