import { MAX_MARKS, MAX_TEXT_LENGTH } from "../text/text-limits.ts";

/** What an update from outside may be at most. */
export interface UpdateLimits {
  readonly maxBytes: number;
  readonly maxStructs: number;
  /** Delete ranges beyond one for each struct that the document has. */
  readonly maxSpareDeleteRanges: number;
  /** UTF-16 units that one update may add to one text; the text may be twice as long. */
  readonly maxTextLength: number;
  /** Formatting marks that one update may add to one text; the text may have half as many again. */
  readonly maxFormatMarks: number;
  /**
   * Time marks that one update may add. Yjs copies all the values of a run for each struct that it
   * merges with it: 150,000 of them, 1 MB, take up all memory.
   */
  readonly maxMarks: number;
  /** Steps that it may take to place structs between those of others; some 2 µs each. */
  readonly maxConflictSteps: number;
  /** The same for one struct in a text: Yjs takes them all in one go. */
  readonly maxStepsOfStruct: number;
}

export const DEFAULT_UPDATE_LIMITS: UpdateLimits = {
  maxBytes: 16 * 2 ** 20,
  maxStructs: 150_000,
  maxSpareDeleteRanges: 50_000,
  maxTextLength: MAX_TEXT_LENGTH,
  maxFormatMarks: MAX_MARKS,
  maxMarks: 10_000,
  maxConflictSteps: 150_000,
  maxStepsOfStruct: 10_000,
};
