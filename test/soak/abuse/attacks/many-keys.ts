import type { Abuse, Counts } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { fewerThan, Tally } from "../tally.ts";

/** More than anybody has programs and devices. */
const MOST_KEYS = 200;
const LISTS = 40;

/** Each is kept for ever, and each might have limits of its own. */
export const manyKeys: Abuse = {
  name: "many-keys",
  fault: "keys are made without end, listed, and the settings changed with each",
  unit: "keys",
  full: 6_000,
  short: 300,
  mutants: {
    "number of keys": {
      wrong: "a user may have as many keys as they like",
      edits: [["MOST_KEYS = 200;", "MOST_KEYS = 1e9;"]],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, 16);
    await inParallel(amount, 16, async (index) => {
      const { status } = await caller.call("POST", "/api/v1/keys", { body: { name: `k${index}` } });
      tally.add(`made${status}`);
    });
    await inParallel(LISTS, 8, () => caller.call("GET", "/api/v1/keys"));
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "made", amount),
  harmOf(counts: Counts) {
    const made = counts["made200"] ?? 0;
    return made > MOST_KEYS ? `one user has ${made} keys` : undefined;
  },
};
