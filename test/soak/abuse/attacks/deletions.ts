import { ROOT } from "../../../../src/core/node-key.ts";
import type { Abuse } from "../abuse.ts";
import { keyOf, plant, PlantingDoc, sendAll, treeOf } from "../planted.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const FULL = 16;
const NODES = { long: 50_000, short: 40_000 };
let planting = new PlantingDoc();

/** Each node by itself, so that each has to be hidden and shown. */
export const deletions: Abuse = {
  name: "deletions",
  fault: "everything is deleted node by node in one update, and brought back, again and again",
  unit: "rounds",
  full: FULL,
  short: 2,
  shortPeakMib: 300,
  mutants: withoutTurns,
  async prepare(site, amount) {
    const nodes = treeOf(amount >= FULL ? NODES.long : NODES.short, ROOT);
    planting = await plant(site, new Tally(), nodes);
  },
  async attack(site, amount) {
    const tally = new Tally();
    const count = amount >= FULL ? NODES.long : NODES.short;
    const updates: Uint8Array[] = [];
    for (let round = 0; round < amount; round++) {
      planting.doc.transact(() => {
        for (let index = 0; index < count; index++) {
          planting.textOf(keyOf(index)).setAttribute("d", round % 2 === 0 ? "t*" : "");
        }
      });
      updates.push(...planting.take());
    }
    await sendAll(site, tally, updates);
    return tally.counts;
  },
  lackOf: (counts) => fewerThan(counts, "bytesSent", 1),
};
