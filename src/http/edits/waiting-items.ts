import { problem, type Problem } from "../problem.ts";

/** What is to be a new node, as it came, and where it stands in what was sent. */
export interface WaitingItem {
  readonly source: unknown;
  readonly depth: number;
  readonly list: string;
  readonly index: number;
  /** The item that has the list; undefined for a list of the operation. */
  readonly within: WaitingItem | undefined;
}

/** Of an item that is deeper the nearest steps to it are said. */
const MOST_STEPS = 20;

/** Puts the items of a list on a stack, the first one on top. */
export function pushItems(
  waiting: WaitingItem[],
  items: readonly unknown[],
  { list, depth, within }: Pick<WaitingItem, "list" | "depth" | "within">,
): void {
  for (let index = items.length - 1; index >= 0; index--) {
    waiting.push({ source: items[index], depth, list, index, within });
  }
}

/** A refusal that says which item it is of; as it is for the operation itself. */
export function inItem(item: WaitingItem | undefined, refusal: Problem): Problem {
  if (item === undefined) return refusal;
  const steps: string[] = [];
  let step: WaitingItem | undefined = item;
  for (; step !== undefined && steps.length < MOST_STEPS; step = step.within) {
    steps.unshift(`${step.list}[${step.index}]`);
  }
  const path = steps.join(".");
  const { code, message, retryAfterMs } = refusal;
  return problem(code, `${step === undefined ? "" : "…"}${path}: ${message}`, retryAfterMs);
}
