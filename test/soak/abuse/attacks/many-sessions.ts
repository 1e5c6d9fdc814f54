import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { fewerThan, Tally } from "../tally.ts";

const MOST = 100;

/** Each is known to the server from then on. */
export const manySessions: Abuse = {
  name: "many-sessions",
  fault: "sign-ins without end with a key that is right, each a session of its own",
  unit: "sign-ins",
  full: 20_000,
  short: 400,
  mutants: {
    "number of sessions": {
      wrong: "a user may have as many sessions as they like",
      edits: [["MOST_SESSIONS = 100;", "MOST_SESSIONS = 1e9;"]],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, 16);
    await inParallel(amount, 16, () =>
      caller.call("POST", "/session", { body: { key: site.key } }),
    );
    const { text } = await caller.call("GET", "/sessions");
    tally.add("sessions", text.split('"id"').length - 1);
    caller.close();
    return tally.counts;
  },
  harmOf(counts) {
    const there = counts["sessions"] ?? 0;
    return there > MOST ? `one user has ${there} sessions` : undefined;
  },
  lackOf: (counts, amount) => fewerThan(counts, "answered", amount),
};
