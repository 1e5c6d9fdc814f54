import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { plant, treeOf } from "../planted.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const FULL = 60;
const NODES = { long: 120_000, short: 8_000 };
const AT_ONCE = 4;

/** For one the other may have to go, and it is wanted again at once. */
export const twoOutlines: Abuse = {
  name: "two-outlines",
  fault: "two outlines that hardly fit beside each other are asked for in turn",
  unit: "rounds",
  full: FULL,
  short: 10,
  mutants: {
    turns: { wrong: "all that it makes to do is done in one go", edits: withoutTurns },
  },
  async prepare(site, amount) {
    const nodes = treeOf(amount >= FULL ? NODES.long : NODES.short);
    await plant(site, new Tally(), nodes);
    await plant({ ...site, key: site.secondKey }, new Tally(), nodes);
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, AT_ONCE);
    await inParallel(2 * amount, AT_ONCE, (index) =>
      caller.call("POST", "/api/v1/nodes", {
        key: index % 2 === 0 ? site.key : site.secondKey,
        body: { name: `round ${index}` },
      }),
    );
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "answered", 2 * amount),
};
