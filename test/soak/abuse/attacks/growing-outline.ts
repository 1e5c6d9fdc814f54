import type { Abuse, Counts } from "../abuse.ts";
import { HttpCaller } from "../http-caller.ts";
import { fewerThan, Tally } from "../tally.ts";

const NODES_A_REQUEST = 25_000;
const REFUSALS = 3;

/** An outline is in memory as a whole. */
export const growingOutline: Abuse = {
  name: "growing-outline",
  fault: "an outline that is added to, 25,000 nodes a request, until that is refused",
  unit: "requests",
  full: 120,
  short: 4,
  shortPeakMib: 250,
  shortOptions: { OUTLINE_MAX_NODES: "40000" },
  mutants: {
    "size of an outline": {
      wrong: "an outline may have as many nodes as it likes",
      edits: [["if (nodes > 0 && hasNodes + nodes > maxNodes)", "if (false)"]],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, 1);
    const name = Array.from({ length: NODES_A_REQUEST }, (_, index) => `n${index}`).join("\n\n");
    let refused = 0;
    for (let count = 0; count < amount && refused < REFUSALS; count++) {
      const { status } = await caller.call("POST", "/api/v1/nodes", { body: { name } });
      if (status !== 200) refused++;
    }
    caller.close();
    return tally.counts;
  },
  lackOf: (counts) => fewerThan(counts, "answered200", 1),
  harmOf(counts: Counts, amount: number) {
    const taken = counts["answered200"] ?? 0;
    return taken >= amount ? `all of ${taken * NODES_A_REQUEST} nodes were taken` : undefined;
  },
};
