import type { Turn } from "./turns.ts";

/**
 * Runs a generator to its end in slices, each as long as the turn allows. The generator's steps must be
 * shorter than a turn.
 */
export async function runInSlices<Step, Result>(
  work: Generator<Step, Result>,
  turn: Turn,
  options: {
    /** Gets what the generator yields. */
    readonly take?: (step: Step) => void;
    /** What the work is done with; see `Turn`. */
    readonly size?: () => number;
  } = {},
): Promise<Result> {
  const { take, size } = options;
  for (;;) {
    const last = await turn.take(() => runSlice(work, turn, take), 0, size);
    if (last.done === true) return last.value;
  }
}

/** Takes steps of a generator until it ends or the turn is over, at least one. */
export function runSlice<Step, Result>(
  work: Generator<Step, Result>,
  turn: Pick<Turn, "isOver">,
  take: (step: Step) => void = () => undefined,
): IteratorResult<Step, Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step;
    take(step.value);
    if (turn.isOver) return step;
  }
}
