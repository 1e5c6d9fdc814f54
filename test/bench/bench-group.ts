import type { Goal } from "./goal.ts";

/** One number, or one for each round that was run. */
export type Reading = number | readonly number[];

/** What was measured for a row at one size. */
export interface Figure {
  readonly measured: Reading;
  /** The same of the floor, from the same run; rounds in the same order. */
  readonly floor?: Reading;
}

/**
 * How the goal is meant: of what was measured itself, or of how it compares with the floor. As a
 * `cost` less is better and the ratio is floor over measured; as a `rate` it is the other way round.
 * So a ratio of 1 is always as good as the floor, and more is better.
 */
export type Comparison = "absolute" | "cost" | "rate";

/** A line of the table, without what was measured. */
export interface BenchRow {
  /** Stable: results are told apart by it. */
  readonly id: string;
  readonly what: string;
  /** Of what is measured, not of the ratio. */
  readonly unit: string;
  readonly comparison: Comparison;
  /** Undefined where nothing was promised for outlines of this size. */
  readonly goal: (nodes: number) => Goal | undefined;
  /** What to reach for next, once the goal is met easily. */
  readonly nextGoal?: Goal;
  /** What it is held against, in words. */
  readonly floor?: string;
  /** What keeps it from being better, in words: as profiles show it. */
  readonly limit: string;
}

/** Rows that one run measures together. */
export interface BenchGroup {
  /** As on the command line. */
  readonly name: string;
  /** As the table has it. */
  readonly title: string;
  /** Numbers of nodes to measure with; one where size does not matter. */
  readonly sizes: readonly number[];
  /** How often, each time in a new process. */
  readonly rounds: (nodes: number) => number;
  readonly rows: readonly BenchRow[];
  /** By the ids of the rows. Not every row has a figure at every size. */
  measure(nodes: number): Promise<Readonly<Record<string, Figure>>>;
}

/** A row, and where its figure stands in what its group measures. */
export interface RowOf<Figures> extends BenchRow {
  readonly read: (figures: Figures) => Figure | undefined;
}

/** Puts rows together that one function measures. */
export function benchGroup<Figures>({
  measure,
  rows,
  rounds = () => 1,
  ...group
}: {
  readonly name: string;
  readonly title: string;
  readonly sizes: readonly number[];
  readonly rounds?: (nodes: number) => number;
  readonly rows: readonly RowOf<Figures>[];
  readonly measure: (nodes: number) => Figures | Promise<Figures>;
}): BenchGroup {
  return {
    ...group,
    rounds,
    rows,
    async measure(nodes) {
      const figures = await measure(nodes);
      const byRow: Record<string, Figure> = {};
      for (const { id, read } of rows) {
        const figure = read(figures);
        if (figure !== undefined) byRow[id] = figure;
      }
      return byRow;
    },
  };
}

/** A goal for every size. */
export function always(goal: Goal): () => Goal {
  return () => goal;
}

/** Nothing was promised; the figure is for the record. */
export function noGoal(): undefined {
  return undefined;
}

/** A goal that was set for outlines of this size, and so for smaller ones. */
export function upTo(size: number, goal: Goal): (nodes: number) => Goal | undefined {
  return (nodes) => (nodes <= size ? goal : undefined);
}
