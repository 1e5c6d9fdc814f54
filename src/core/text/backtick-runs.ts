import { getOrMake } from "../get-or-make.ts";

/** All runs of backticks in a line, for finding the one that ends a code span in constant time. */
export class BacktickRuns {
  readonly #lengths = new Map<number, number>();
  readonly #startsByLength = new Map<number, number[]>();

  constructor(line: string) {
    for (const { 0: run, index } of line.matchAll(/`+/g)) {
      this.#lengths.set(index, run.length);
      getOrMake(this.#startsByLength, run.length, () => []).push(index);
    }
    // Last first, so that what has been passed is taken off the end.
    for (const starts of this.#startsByLength.values()) starts.reverse();
  }

  /** The length of the run that starts at `at`. */
  lengthAt(at: number): number {
    return this.#lengths.get(at) ?? 0;
  }

  /** The first run of exactly `length` at or behind `from`, which never goes back between calls. */
  nextOfLength(length: number, from: number): number | undefined {
    const starts = this.#startsByLength.get(length) ?? [];
    while ((starts.at(-1) ?? from) < from) starts.pop();
    return starts.at(-1);
  }
}
