import { type Goal, isMet, isMetEasily, textOfGoal } from "./goal.ts";
import type { MeasuredRow } from "./measured-row.ts";

/** How much more a row costs in a large outline than in a small one. */
export interface GrowthRow {
  readonly id: string;
  readonly what: string;
  /** The id of the row that is compared with itself. */
  readonly of: string;
  readonly from: string;
  readonly to: string;
  readonly goal: Goal;
  readonly nextGoal?: Goal;
  readonly limit: string;
}

/**
 * What the results of both outlines say; undefined while one of them is missing. Where the row has a
 * floor, its ratios are compared: so a machine that was busier the second time does not count.
 */
export function measuredGrowth(
  row: GrowthRow,
  results: readonly MeasuredRow[],
): MeasuredRow | undefined {
  const { id, what, of, goal, nextGoal } = row;
  const small = results.find((result) => result.id === of && result.outline === row.from);
  const large = results.find((result) => result.id === of && result.outline === row.to);
  if (small === undefined || large === undefined) return undefined;
  const growth =
    small.ratio === undefined || large.ratio === undefined
      ? large.measured.median / small.measured.median
      : small.ratio.median / large.ratio.median;
  const measured = Number(growth.toPrecision(3));
  return {
    id,
    what,
    outline: large.outline,
    nodes: large.nodes,
    unit: "times",
    measured: { median: measured, low: measured, high: measured },
    goal: textOfGoal(goal),
    met: isMet(goal, measured),
    ...(nextGoal !== undefined &&
      isMetEasily(goal, measured) && { nextGoal: textOfGoal(nextGoal) }),
    at: large.at,
    load: large.load,
  };
}
