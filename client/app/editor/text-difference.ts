import type { TextRange } from "./inline-editor.ts";

/** What turns one text into another: one stretch in the place of another. */
export interface TextDifference {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

/**
 * The difference between two texts when the second was just edited and its caret stands behind what
 * was written: of several explanations (one more letter in `aaaa`) the one where the person typed.
 */
export function differenceAtCaret(
  before: string,
  after: string,
  caret: number,
): TextDifference | undefined {
  if (before === after) return undefined;
  const behindCaret = after.length - Math.min(Math.max(caret, 0), after.length);
  const longestTail = Math.min(before.length, behindCaret);
  let tail = 0;
  while (
    tail < longestTail &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail++;
  }
  const longestHead = Math.min(before.length, after.length) - tail;
  let head = 0;
  while (head < longestHead && before.charCodeAt(head) === after.charCodeAt(head)) head++;
  return {
    at: head,
    remove: before.length - tail - head,
    insert: after.slice(head, after.length - tail),
  };
}

/** A step of a change of a Y.Text, as its events tell it. */
export interface DeltaStep {
  readonly retain?: number | undefined;
  readonly insert?: unknown;
  readonly delete?: number | undefined;
}

/**
 * Where an offset is after a change. What is inserted exactly there comes behind it, or before it when
 * `stick` is "right".
 */
export function offsetAfter(
  delta: readonly DeltaStep[],
  offset: number,
  stick: "left" | "right" = "left",
): number {
  let before = 0;
  let after = 0;
  for (const { retain, insert, delete: removed } of delta) {
    if (retain !== undefined) {
      if (offset < before + retain || (offset === before + retain && stick === "left")) break;
      before += retain;
      after += retain;
    } else if (removed !== undefined) {
      if (offset <= before + removed && stick === "left") return after;
      if (offset < before + removed) {
        before = offset;
        continue;
      }
      before += removed;
    } else {
      if (offset === before && stick === "left") return after;
      after += typeof insert === "string" ? insert.length : 1;
    }
  }
  return after + (offset - before);
}

/** A selection after a change: what is inserted at its ends stays outside, at a caret behind it. */
export function rangeAfter(delta: readonly DeltaStep[], { anchor, head }: TextRange): TextRange {
  if (anchor === head) {
    const at = offsetAfter(delta, head);
    return { anchor: at, head: at };
  }
  return {
    anchor: offsetAfter(delta, anchor, anchor < head ? "right" : "left"),
    head: offsetAfter(delta, head, head < anchor ? "right" : "left"),
  };
}
