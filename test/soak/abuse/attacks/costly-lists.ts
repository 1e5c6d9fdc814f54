import { ROOT } from "../../../../src/core/node-key.ts";
import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { keyOf, placement, PlantingDoc, sendAll } from "../planted.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const NODES = 24;
const MARKS = 14_000;
const AT_ONCE = 16;

/** Each name is many short pieces, each in another format than the one before. */
export const costlyLists: Abuse = {
  name: "costly-lists",
  fault: "lists of nodes with thousands of formats each, by sixteen at a time",
  unit: "lists",
  full: 400,
  short: 32,
  shortPeakMib: 300,
  harmUnits: 60,
  mutants: withoutTurns,
  async attack(site, amount) {
    const planting = new PlantingDoc();
    const tally = new Tally();
    for (let index = 0; index < NODES; index++) {
      planting.plant([{ key: keyOf(index), place: placement(ROOT, index) }]);
      const text = planting.textOf(keyOf(index));
      text.applyDelta(
        Array.from({ length: MARKS / 2 }, (_, at) => ({
          insert: "ab",
          attributes: at % 2 === 0 ? { b: true } : {},
        })),
      );
    }
    const caller = new HttpCaller(site, tally, AT_ONCE);
    for (let done = 0; done < amount; done += AT_ONCE) {
      // Each time every name says something else, so that nothing is kept of it.
      for (let index = 0; index < NODES; index++) planting.textOf(keyOf(index)).insert(0, "x");
      await sendAll(site, tally, planting.take());
      await inParallel(AT_ONCE, AT_ONCE, () =>
        caller.call("GET", "/api/v1/nodes", { key: site.readKey }),
      );
    }
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "answered", amount),
};
