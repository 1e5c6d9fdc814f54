import { countWhile } from "./count-while.ts";

/** How many of the ascending `clocks` are not greater than `clock`. O(log clocks). */
export function countUpTo(clocks: readonly number[], clock: number): number {
  return countWhile(clocks.length, (index) => (clocks[index] ?? 0) <= clock);
}
