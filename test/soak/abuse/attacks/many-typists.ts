import { ROOT } from "../../../../src/core/node-key.ts";
import type { Abuse } from "../abuse.ts";
import { openWriter } from "../hostile-client.ts";
import { keyOf, placement, plant, PlantingDoc, treeOf } from "../planted.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const CONNECTIONS = 90;
const IN_FLIGHT = 8;
const FULL = 27_000;

/** Each keystroke is told to all the others. */
export const manyTypists: Abuse = {
  name: "many-typists",
  fault: "ninety connections to one outline that type as fast as they are acknowledged",
  unit: "keystrokes",
  full: FULL,
  short: 900,
  mutants: {
    turns: { wrong: "all that it makes to do is done in one go", edits: withoutTurns },
  },
  async prepare(site, amount) {
    await plant(site, new Tally(), treeOf(amount >= FULL ? 20_000 : 2_000));
  },
  async attack(site, amount) {
    const tally = new Tally();
    const typeOne = async (_: unknown, index: number): Promise<void> => {
      const planting = new PlantingDoc();
      const key = keyOf(100_000 + index);
      planting.plant([{ key, place: placement(ROOT, index) }]);
      const writer = await openWriter(site, tally).catch(() => undefined);
      if (writer === undefined) return;
      for (let count = 0; count < amount / CONNECTIONS && writer.isOpen; count++) {
        planting.textOf(key).insert(0, "a");
        for (const update of planting.take()) writer.update(update);
        tally.add("keystrokes");
        await writer.settled(IN_FLIGHT);
      }
      await writer.settled();
      writer.end();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, typeOne));
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "keystrokes", amount / 2),
};
