import { expect, test } from "vitest";
import { runs } from "../support/runs.ts";
import { MIRRORED } from "./actions.ts";
import { optionsOf, simulate, type Counts } from "./simulation.ts";

const SEEDS = runs(20, 160);

/** What must have happened in 160 seeds, or they have shown nothing; in proportion for fewer. */
const AT_LEAST: Counts = {
  runs: 160,
  runsWithRing: 10,
  mirrors: 1_500,
  intoMirrors: 150,
  unmirrored: 60,
  moves: 3_000,
  deletes: 500,
  rescued: 100,
  purges: 80,
  gossip: 300,
};

test("[D50, D51, D52, I1] replicas with mirrors that have the same updates show the same, and nothing is lost", () => {
  const totals: Counts = {};
  for (let seed = 1; seed <= SEEDS; seed++) {
    const counts = simulate(seed, { ...optionsOf(seed), mix: MIRRORED });
    for (const [what, times] of Object.entries(counts)) totals[what] = (totals[what] ?? 0) + times;
  }
  const tooRare = Object.entries(AT_LEAST).filter(
    ([what, times]) => (totals[what] ?? 0) < Math.floor((times * SEEDS) / 160),
  );
  expect(tooRare.map(([what]) => [what, totals[what] ?? 0])).toEqual([]);
}, 240_000);
