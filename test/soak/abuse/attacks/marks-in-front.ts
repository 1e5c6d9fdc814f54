import { marksOf } from "../../../../src/core/schema.ts";
import type { Abuse } from "../abuse.ts";
import { HttpCaller } from "../http-caller.ts";
import { PlantingDoc, sendAll } from "../planted.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const A_MESSAGE = 5_000;

/** They stand in the order in which they were put in, and are read the other way round. */
export const marksInFront: Abuse = {
  name: "marks-in-front",
  fault: "time marks that were each put before all others, in an outline that is then opened",
  unit: "marks",
  full: 400_000,
  short: 250_000,
  harmUnits: 120,
  mutants: withoutTurns,
  preparedWith: { heapMib: 4_000, options: {} },
  async prepare(site, amount) {
    const planting = new PlantingDoc();
    for (let from = 0; from < amount; from += A_MESSAGE) {
      planting.doc.transact(() => {
        for (let index = from; index < Math.min(amount, from + A_MESSAGE); index++) {
          marksOf(planting.doc).insert(0, [1_750_000_000 + index]);
        }
      });
    }
    await sendAll(site, new Tally(), planting.take());
  },
  async attack(site) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, 1);
    for (let index = 0; index < 10; index++) {
      await caller.call("POST", "/api/v1/nodes", { body: { name: `after ${index}` } });
    }
    caller.close();
    return tally.counts;
  },
  lackOf: (counts) => fewerThan(counts, "answered", 10),
};
