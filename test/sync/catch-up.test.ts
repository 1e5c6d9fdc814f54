import { expect, test } from "vitest";
import { type CatchUpPorts, lackingParts } from "../../src/sync/catch-up.ts";
import type { DurableParts } from "../../src/sync/durable-outline.ts";

test("[P13, S37] updates that the log lacks, and no newer snapshot has, are damage of the outline", async () => {
  const extent = { epoch: "e", head: 3 };
  const outline: Partial<DurableParts> = {
    extent: async () => extent,
    since: async () => undefined,
  };
  const durable: CatchUpPorts["durable"] = {
    // Nothing else of it is used here.
    look: async (_, work) => work(outline as DurableParts),
    unopened: async () => undefined,
  };
  const sources: string[] = [];
  const ports: Partial<CatchUpPorts> = {
    durable,
    isWanted: () => true,
    onSource: (source) => sources.push(source),
  };
  const from = { kind: "state_vector", stateVector: new Uint8Array([0]) } as const;
  const parts = lackingParts(ports as CatchUpPorts, from);
  await expect(parts.next()).rejects.toMatchObject({ code: "outline_corrupt" });
  expect(sources).toEqual(["state"]);
});
