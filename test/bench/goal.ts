/** A limit that a figure is to keep, as data: whether it is kept is computed, never claimed. */
export interface Goal {
  readonly comparator: "atMost" | "atLeast";
  readonly value: number;
}

export function atMost(value: number): Goal {
  return { comparator: "atMost", value };
}

export function atLeast(value: number): Goal {
  return { comparator: "atLeast", value };
}

/** How many times better than the goal: 1 meets it exactly, below 1 misses it. */
export function marginOf({ comparator, value }: Goal, measured: number): number {
  if (measured === value) return 1;
  return comparator === "atMost" ? value / measured : measured / value;
}

/** So much better than its goal that the goal says nothing any more. */
const EASY = 1.5;

export function isMet(goal: Goal, measured: number): boolean {
  return marginOf(goal, measured) >= 1;
}

export function isMetEasily(goal: Goal, measured: number): boolean {
  return marginOf(goal, measured) >= EASY;
}

/** As people write it: "≤ 25". */
export function textOfGoal({ comparator, value }: Goal): string {
  return `${comparator === "atMost" ? "≤" : "≥"} ${value.toLocaleString("en")}`;
}
