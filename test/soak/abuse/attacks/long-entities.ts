import { ROOT } from "../../../../src/core/node-key.ts";
import { nodesOf } from "../../../../src/core/schema.ts";
import type { Abuse } from "../abuse.ts";
import { HttpCaller } from "../http-caller.ts";
import { keyOf, placement, PlantingDoc, sendAll } from "../planted.ts";
import { fewerThan, Tally } from "../tally.ts";

const ENTITY = `&#${"0".repeat(60_000)}65;`;
const READS = 6;

/** Each character is written back as the entity that it is said to have been. */
export const longEntities: Abuse = {
  name: "long-entities",
  fault:
    "a text of characters that were each written as an entity of 60,000 digits, then it is read",
  unit: "characters",
  full: 7_000,
  short: 3_000,
  mutants: {
    "length of what is written": {
      wrong: "an entity may be as long as it likes, and so may what is written for a text",
      edits: [
        ["MAX_ENTITY_LENGTH = 40;", "MAX_ENTITY_LENGTH = 1e9;"],
        ["WHOLE_ENTITY = /^&(?:#[0-9]{1,8}|", "WHOLE_ENTITY = /^&(?:#[0-9]+|"],
        ["MAX_GROWTH = 8;", "MAX_GROWTH = 1e9;"],
      ],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const planting = new PlantingDoc();
    planting.plant([{ key: keyOf(0), place: placement(ROOT, 0) }]);
    nodesOf(planting.doc).get(keyOf(0))?.insert(0, "A".repeat(amount), { e: ENTITY });
    await sendAll(site, tally, planting.take());
    const caller = new HttpCaller(site, tally, READS);
    const read = (): Promise<unknown> => caller.call("GET", `/api/v1/nodes/${keyOf(0)}`);
    await Promise.all(Array.from({ length: READS }, read));
    caller.close();
    return tally.counts;
  },
  // A server that writes them out may refuse some of the answers for their size.
  lackOf: (counts) => fewerThan(counts, "bytesSent", 50_000) ?? fewerThan(counts, "answered", 1),
};
