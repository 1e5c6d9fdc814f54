/** How far rows are indented, in pixels: what the style sheet says of it. */
export interface IndentMeasures {
  /** From the edge to the bullets of the first level. */
  readonly start: number;
  /** Of each of the first levels. */
  readonly step: number;
  /** So many levels are whole steps. */
  readonly wholeSteps: number;
  /** Of each deeper level. */
  readonly smallStep: number;
  /** The text keeps its width: no row is indented further. */
  readonly most: number;
}

/** Where the bullet of a level is, from the edge at which lines begin. */
export function indentOf(depth: number, measures: IndentMeasures): number {
  const { start, step, wholeSteps, smallStep, most } = measures;
  const steps = Math.min(depth, wholeSteps);
  return start + Math.min(steps * step + (depth - steps) * smallStep, most);
}

/** The level whose bullet is the nearest to a place. */
export function depthAt(
  px: number,
  { start, step, wholeSteps, smallStep }: IndentMeasures,
): number {
  const within = px - start;
  const beyond = within - wholeSteps * step;
  if (beyond <= 0) return Math.max(0, Math.round(within / step));
  return wholeSteps + Math.round(beyond / smallStep);
}
