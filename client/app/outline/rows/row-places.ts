import { countWhile } from "../../../../src/core/count-while.ts";
import type { Row } from "./outline-rows.ts";

/**
 * Where rows are, one below the other: by their height where they have been drawn, else by that of a
 * usual line. Looking at a hundred thousand rows takes less than a millisecond, so nothing is kept
 * but the sums.
 */
export class RowPlaces {
  #rows: readonly Row[] = [];
  /** The top of each row, and the bottom of the last one. */
  #tops = new Float64Array(1);
  /** From this row on the tops are to be summed up anew. */
  #stale = 0;
  #usual: number;
  #isGuess = true;

  /** @param guess the height of a usual line until one has been measured, in pixels */
  constructor(guess: number) {
    this.#usual = guess;
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  set rows(rows: readonly Row[]) {
    if (rows === this.#rows) return;
    this.#rows = rows;
    if (this.#tops.length < rows.length + 1) {
      this.#tops = new Float64Array(Math.ceil(rows.length * 1.25) + 1);
    }
    this.#stale = 0;
  }

  /** The height of all rows. */
  get height(): number {
    return this.topOf(this.#rows.length);
  }

  /** The top of a row; behind the last one, the bottom of all. */
  topOf(index: number): number {
    this.#sum();
    return this.#tops[Math.max(0, Math.min(index, this.#rows.length))] ?? 0;
  }

  /** The row at a height, the first or last one for what is above or below all. */
  indexAt(y: number): number {
    this.#sum();
    // Its top is not below the height; the first row's is not looked at.
    return countWhile(this.#rows.length - 1, (index) => (this.#tops[index + 1] ?? 0) <= y);
  }

  /**
   * What rows measure on the screen, by their index. The usual line is as high as the middle one of
   * the first that are measured: a long one among them says nothing about the others. False when all
   * that was known.
   */
  measured(heights: ReadonlyMap<number, number>): boolean {
    const seen = [...heights].filter(([index, height]) => height > 0 && index < this.#rows.length);
    if (seen.length === 0) return false;
    let isOther = false;
    if (this.#isGuess) {
      this.#isGuess = false;
      const usual = middleOf(seen.map(([, height]) => height));
      isOther = usual !== this.#usual;
      this.#usual = usual;
      this.#stale = 0;
    }
    for (const [index, height] of seen) {
      const row = this.#rows[index];
      if (row === undefined || row.height === height) continue;
      const before = row.height || this.#usual;
      row.height = height;
      if (before === height) continue;
      this.#stale = Math.min(this.#stale, index);
      isOther = true;
    }
    return isOther;
  }

  /** All heights may have become others: the window or the letters are of another size. */
  forget(): void {
    for (const row of this.#rows) row.height = 0;
    this.#isGuess = true;
    this.#stale = 0;
  }

  #sum(): void {
    const rows = this.#rows;
    const tops = this.#tops;
    let top = tops[this.#stale] ?? 0;
    for (let index = this.#stale; index < rows.length; index++) {
      tops[index] = top;
      top += rows[index]?.height || this.#usual;
    }
    tops[rows.length] = top;
    this.#stale = rows.length;
  }
}

function middleOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >>> 1] ?? 0;
}
