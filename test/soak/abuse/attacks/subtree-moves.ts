import { ROOT } from "../../../../src/core/node-key.ts";
import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { keyOf, placement, plant, treeOf } from "../planted.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const FULL = 600;
const MOVED = keyOf(0);
const PLACES = [keyOf(1), keyOf(2)];
const FIRST_BELOW = 10;

/** Whatever is below goes along. */
export const subtreeMoves: Abuse = {
  name: "subtree-moves",
  fault: "a node with 50,000 below it is moved back and forth",
  unit: "moves",
  full: FULL,
  short: 300,
  mutants: {
    turns: { wrong: "all that it makes to do is done in one go", edits: withoutTurns },
  },
  async prepare(site, amount) {
    const tops = [MOVED, ...PLACES].map((key, index) => ({
      key,
      place: placement(ROOT, index),
      name: "top",
    }));
    const below = treeOf(amount >= FULL ? 50_000 : 5_000, MOVED, FIRST_BELOW);
    await plant(site, new Tally(), [...tops, ...below]);
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, 8);
    await inParallel(amount, 8, (index) =>
      caller.call("POST", `/api/v1/nodes/${MOVED}/move`, {
        body: { parent_id: PLACES[index % PLACES.length], position: "top" },
      }),
    );
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "answered", amount),
};
