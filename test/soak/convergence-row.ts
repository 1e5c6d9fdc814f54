import { CONFLICT_RULES } from "../../src/core/tree/conflict-rules.ts";
import { ALL_REPAIR_STEPS } from "../../src/core/merge/repair-steps.ts";
import { optionsOf, simulate, type Counts } from "../property/simulation.ts";
import type { SoakRow } from "./soak-row.ts";

/** The core alone: replicas of one outline that meet in any order. */
export const convergenceRow: SoakRow = {
  name: "convergence",
  fault: "replicas edit apart, meet in any order, and the server restarts and purges between",
  goal: "0 divergences, nothing lost",
  unit: "seeds",
  full: 10_000,
  short: 60,
  budgetMs: 90 * 60_000,
  controls: {
    "oldest-move-gives-way": "rings are cut at their first member",
    "nothing-is-rescued": "what was deleted with a parent is not brought back",
  },
  run({ amount, seed, control, goesOn }) {
    const rules =
      control === "oldest-move-gives-way"
        ? {
            ...CONFLICT_RULES,
            cutOf: (ring: Parameters<typeof CONFLICT_RULES.cutOf>[0]) => {
              const [first] = ring;
              if (first === undefined) throw new Error("a ring has a member");
              return first;
            },
          }
        : CONFLICT_RULES;
    const repairSteps = { ...ALL_REPAIR_STEPS, rescue: control !== "nothing-is-rescued" };
    const totals: Counts = {};
    const failures: string[] = [];
    let done = 0;
    for (; done < amount && goesOn(done); done++) {
      try {
        const options = { ...optionsOf(seed + done), rules, repairSteps };
        for (const [what, times] of Object.entries(simulate(seed + done, options))) {
          totals[what] = (totals[what] ?? 0) + times;
        }
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
      }
    }
    return Promise.resolve({ done, failures, figures: totals });
  },
};
