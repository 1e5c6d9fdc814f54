import { ROOT } from "../../../../src/core/node-key.ts";
import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { keyOf, placement, plant } from "../planted.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const AT_ONCE = 100;

/** Nothing but many, each like everybody's. */
export const smallRequests: Abuse = {
  name: "small-requests",
  fault:
    "small reads, writes and references to nothing from a hundred connections, without a pause",
  unit: "requests",
  full: 60_000,
  short: 3_000,
  mutants: {
    turns: { wrong: "all that it makes to do is done in one go", edits: withoutTurns },
  },
  async prepare(site) {
    await plant(site, new Tally(), [{ key: keyOf(0), place: placement(ROOT, 0), name: "small" }]);
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, AT_ONCE);
    await inParallel(amount, AT_ONCE, (index) => {
      switch (index % 4) {
        case 0:
          return caller.call("POST", `/api/v1/nodes/${keyOf(0)}`, { body: { name: `n${index}` } });
        case 1:
          return caller.call(
            "GET",
            `/api/v1/nodes/${encodeURIComponent("r".repeat(2_000) + index)}`,
          );
        case 2:
          return caller.call("GET", `/api/v1/nodes?parent_id=${index}-01-01`);
        default:
          return caller.call("GET", "/api/v1/targets");
      }
    });
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "answered", amount),
};
