import { ROOT } from "../../../../src/core/node-key.ts";
import type { Abuse, Site } from "../abuse.ts";
import { keyOf, placement, PlantingDoc, sendAll } from "../planted.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const MOVED_AT = Date.UTC(2026, 1, 1);
const FROM_ROOT = { parent: ROOT, order: "W" };

/** Each of two below the other one: someone moved both at the same time. */
export const rings: Abuse = {
  name: "rings",
  fault: "one update with pairs of nodes that were moved below each other",
  unit: "pairs",
  full: 16_000,
  short: 12_000,
  mutants: withoutTurns,
  async attack(site: Site, amount: number) {
    const tally = new Tally();
    const planting = new PlantingDoc();
    const nodes = Array.from({ length: 2 * amount }, (_, index) => ({
      key: keyOf(index),
      place: placement(keyOf(index ^ 1), index, { at: MOVED_AT + index, from: FROM_ROOT }),
    }));
    planting.plant(nodes);
    await sendAll(site, tally, planting.take());
    return tally.counts;
  },
  lackOf: (counts) => fewerThan(counts, "bytesSent", 1),
};
