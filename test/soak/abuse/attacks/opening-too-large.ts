import type { Abuse } from "../abuse.ts";
import { HostileClient } from "../hostile-client.ts";
import { HttpCaller } from "../http-caller.ts";
import { fewerThan, Tally } from "../tally.ts";
import { plant, treeOf } from "../planted.ts";

/** It was stored by a version, or with options, that took more. */
export const openingTooLarge: Abuse = {
  name: "opening-too-large",
  fault: "an outline that is larger than the memory has room for is asked for",
  unit: "nodes",
  full: 1_000_000,
  short: 50_000,
  mutants: {
    "memory for outlines": {
      wrong: "an outline is opened whether or not there is room for it",
      edits: [
        ["#missingFor(before, wanted) {", "#missingFor(before, wanted) { return 0;"],
        ["return this.#options.limits.maxLargeBytes;", "return Infinity;"],
      ],
    },
  },
  preparedWith: {
    heapMib: 6_000,
    options: { OUTLINE_MAX_NODES: "5000000", OUTLINE_MAX_OUTLINE_BYTES: "4000000000" },
  },
  shortOptions: { OUTLINE_MEMORY_BYTES: String(48 * 2 ** 20) },
  async prepare(site, amount) {
    await plant(site, new Tally(), treeOf(amount));
  },
  async attack(site) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, 4);
    const read = (): Promise<unknown> => caller.call("GET", "/api/v1/settings");
    await Promise.all(Array.from({ length: 8 }, read));
    const client = new HostileClient(site, tally);
    if (await client.opened()) client.hello();
    await caller.call("GET", "/api/v1/nodes");
    client.end();
    caller.close();
    return tally.counts;
  },
  harmOf(counts) {
    return counts["answered200"] === undefined ? undefined : "it was opened";
  },
  lackOf: (counts) => fewerThan(counts, "answered", 9),
};
