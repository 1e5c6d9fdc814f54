import type { BenchRow, Figure, Reading } from "./bench-group.ts";
import { isMet, isMetEasily, textOfGoal } from "./goal.ts";
import { median } from "./median.ts";

/** The middle of all rounds, and the least and greatest of them. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** A line of the results file. */
export interface MeasuredRow {
  readonly id: string;
  readonly what: string;
  /** Which outline it was measured with; empty where that does not matter. */
  readonly outline: string;
  readonly nodes: number;
  readonly unit: string;
  readonly measured: Spread;
  readonly floor?: Spread;
  /** 1 is as good as the floor, more is better. */
  readonly ratio?: Spread;
  readonly goal?: string;
  readonly met?: boolean;
  /** Set when the goal is met so well that it should be another. */
  readonly metEasily?: true;
  readonly nextGoal?: string;
  /** When it was measured, and how busy the machine was before: processes that wanted to run. */
  readonly at: string;
  readonly load: number;
}

function roundsOf(readings: readonly Reading[]): readonly number[] {
  return readings.flatMap((reading) => reading);
}

/** Three significant digits: more would claim what the rounds do not show. */
function rounded(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}

function spreadOf(values: readonly number[]): Spread {
  return {
    median: rounded(median(values)),
    low: rounded(Math.min(...values)),
    high: rounded(Math.max(...values)),
  };
}

function ratioOf({ measured, floor }: Figure, comparison: BenchRow["comparison"]): number[] {
  if (floor === undefined || comparison === "absolute") return [];
  const floors = roundsOf([floor]);
  return roundsOf([measured]).map((value, round) => {
    const other = floors[round] ?? median(floors);
    return comparison === "cost" ? other / value : value / other;
  });
}

/** Puts the figures of all rounds of a row together and holds them against its goal. */
export function measuredRow(
  row: BenchRow,
  { outline, nodes }: { readonly outline: string; readonly nodes: number },
  figures: readonly Figure[],
  { at, load }: Pick<MeasuredRow, "at" | "load">,
): MeasuredRow {
  const { id, what, unit, comparison } = row;
  const measured = spreadOf(roundsOf(figures.map((figure) => figure.measured)));
  const floors = roundsOf(figures.flatMap(({ floor }) => (floor === undefined ? [] : [floor])));
  const ratios = figures.flatMap((figure) => ratioOf(figure, comparison));
  const ratio = ratios.length > 0 ? spreadOf(ratios) : undefined;
  const goal = row.goal(nodes);
  const judged = ratio === undefined ? measured.median : ratio.median;
  return {
    id,
    what,
    outline,
    nodes,
    unit,
    measured,
    ...(floors.length > 0 && { floor: spreadOf(floors) }),
    ...(ratio !== undefined && { ratio }),
    ...(goal !== undefined && { goal: textOfGoal(goal), met: isMet(goal, judged) }),
    ...(goal !== undefined && isMetEasily(goal, judged) && { metEasily: true, ...nextOf(row) }),
    at,
    load,
  };
}

function nextOf({ nextGoal }: BenchRow): Pick<MeasuredRow, "nextGoal"> {
  return nextGoal === undefined ? {} : { nextGoal: textOfGoal(nextGoal) };
}
