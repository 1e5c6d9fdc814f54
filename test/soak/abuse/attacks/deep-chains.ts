import { ROOT } from "../../../../src/core/node-key.ts";
import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { keyOf, placement, plant } from "../planted.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const CALLS = 120;

/** Whoever asks for the way up goes all of it. */
export const deepChains: Abuse = {
  name: "deep-chains",
  fault: "a chain of nodes each below the one before, then its ends are read, moved and deleted",
  unit: "levels",
  full: 60_000,
  short: 15_000,
  mutants: {
    turns: { wrong: "all that it makes to do is done in one go", edits: withoutTurns },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const nodes = Array.from({ length: amount }, (_, index) => ({
      key: keyOf(index),
      place: placement(index === 0 ? ROOT : keyOf(index - 1), 0),
      name: "deeper",
    }));
    await plant(site, tally, nodes);
    const caller = new HttpCaller(site, tally, 8);
    const [first, last] = [keyOf(0), keyOf(amount - 1)];
    await inParallel(CALLS, 8, (index) => {
      switch (index % 4) {
        case 0:
          return caller.call("POST", "/api/v1/nodes", { body: { name: "end", parent_id: last } });
        case 1:
          return caller.call("POST", `/api/v1/nodes/${first}/move`, { body: { parent_id: last } });
        case 2:
          return caller.call("GET", `/api/v1/nodes/${last}`);
        default:
          return caller.call("POST", `/api/v1/nodes/${last}/complete`);
      }
    });
    await caller.call("DELETE", `/api/v1/nodes/${first}`);
    caller.close();
    return tally.counts;
  },
  lackOf: (counts) => fewerThan(counts, "answered", CALLS),
};
