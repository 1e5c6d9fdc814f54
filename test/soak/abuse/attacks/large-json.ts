import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { fewerThan, Tally } from "../tally.ts";

const NAMES = 1_000_000;
const NUMBERS = 1_500_000;
const DEPTH = 1_000_000;

/** What is in them is of no use to anybody. */
export const largeJson: Abuse = {
  name: "large-json",
  fault: "bodies of megabytes: a million names that nobody knows, a million brackets, long numbers",
  unit: "requests",
  full: 45,
  short: 9,
  mutants: {
    "shape of bodies": {
      wrong: "whatever comes is parsed",
      edits: [["MAX_VALUES = 1e3;", "MAX_VALUES = 1e9;"]],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, 8);
    const names = Object.fromEntries(
      Array.from({ length: NAMES }, (_, index) => [index.toString(36), 0]),
    );
    const bodies: readonly object[] = [
      { name: "x", ...names },
      {
        name: JSON.parse(`${"[".repeat(2_000)}${"]".repeat(2_000)}`) as unknown,
        at: "[".repeat(DEPTH),
      },
      { name: "x", note: null, position: Array.from({ length: NUMBERS }, () => 1e21) },
    ];
    await inParallel(amount, 8, (index) =>
      caller.call("POST", "/api/v1/nodes", { body: bodies[index % bodies.length] }),
    );
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "answered", amount),
};
