import { readTrace } from "../property/trace-history.ts";
import { replay } from "../property/trace-replay.ts";
import type { SoakRow } from "./soak-row.ts";

/** Of the merges in each history, how many at least come out as people made them. */
const HISTORIES = [
  { name: "awesome", atLeast: 33 },
  { name: "awesome-go", atLeast: 459 },
];

/** Twelve years of two public lists, branch by branch and merge by merge. */
export const historiesRow: SoakRow = {
  name: "histories",
  fault: "the real histories of two lists are replayed, a replica for each branch",
  goal: "merges as people made them: 33 of 33, and at least 459 of 481",
  unit: "histories",
  full: 2,
  short: 1,
  budgetMs: 20 * 60_000,
  controls: { "names-are-replaced": "a rename writes the whole name again" },
  async run({ amount, control, goesOn }) {
    const failures: string[] = [];
    const figures: Record<string, number> = {};
    let done = 0;
    for (const { name, atLeast } of HISTORIES.slice(0, amount)) {
      if (!goesOn(done)) break;
      const { merges, equal } = replay(
        readTrace(name),
        control === undefined
          ? undefined
          : (text, runs) => {
              text.delete(0, text.length);
              text.applyDelta([...runs]);
            },
      );
      figures[`${name}, merges`] = merges;
      figures[`${name}, equal`] = equal;
      if (equal < atLeast) failures.push(`${name}: only ${equal} of ${merges} merges are equal`);
      done++;
      await Promise.resolve();
    }
    return { done, failures, figures };
  },
};
