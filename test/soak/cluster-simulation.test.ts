import { expect, test } from "vitest";
import { clusterSimulationRow } from "./cluster-simulation-row.ts";
import { simulateCluster } from "./cluster/simulated/simulate-cluster.ts";
import { allowTime, testRow } from "./expect-row.ts";

allowTime();

testRow(
  clusterSimulationRow,
  "[P99, P103, P106] processes on a database lose nothing and answer nothing old, whatever breaks between them",
);

/**
 * In which a database that had just taken over got what built on updates that it lacked (55, 155); what was
 * kept for a failover was forgotten too early, or its place taken (840, 1290, 1995); a lease held while its
 * machine slept and its clock was set back (58).
 */
test.each([55, 155, 840, 1290, 1995, 58])(
  "[P92, P96, P106] seed %i, which found a defect, holds",
  async (seed) => {
    expect((await simulateCluster(seed)).failures).toEqual([]);
  },
);
