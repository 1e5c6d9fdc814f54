import { randomBytes } from "node:crypto";
import type { Abuse } from "../abuse.ts";
import { HostileClient } from "../hostile-client.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { fewerThan, Tally } from "../tally.ts";

const ADDRESSES = Array.from({ length: 40 }, (_, index) => `127.0.1.${index + 1}`);
const AT_ONCE = 80;
/** Of an address: at once, and again with each minute. */
const OF_A_MINUTE = 10;

/** Each from many networks, each with another key that is none. */
export const wrongKeys: Abuse = {
  name: "wrong-keys",
  fault: "without a key: guesses of keys from forty addresses, by HTTP and by websocket",
  unit: "guesses",
  full: 20_000,
  short: 800,
  mutants: {
    "guesses of a minute": {
      wrong: "every guess is looked up",
      edits: [["if (this.perMinute === 0)", "if (true)"]],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const startedAt = performance.now();
    const sites = ADDRESSES.map((address) => ({ ...site, address }));
    const callers = sites.map((each) => new HttpCaller(each, tally, 2));
    await inParallel(amount, AT_ONCE, async (index) => {
      const at = index % ADDRESSES.length;
      const key = `ok_${randomBytes(24).toString("base64url")}`;
      const from = sites[at];
      if (index % 10 > 0 || from === undefined) {
        await callers[at]?.call("GET", "/api/v1/settings", { key });
        return;
      }
      const client = new HostileClient(from, tally, { key });
      await client.opened();
      client.end();
    });
    for (const caller of callers) caller.close();
    tally.add("seconds", Math.round((performance.now() - startedAt) / 1000));
    return tally.counts;
  },
  harmOf(counts) {
    const guesses = counts["answered401"] ?? 0;
    const minutes = 1.5 + (counts["seconds"] ?? 0) / 60;
    const most = ADDRESSES.length * OF_A_MINUTE * minutes;
    return guesses > most ? `${guesses} guesses were looked up` : undefined;
  },
  lackOf: (counts, amount) => fewerThan(counts, "answered4", amount * 0.9),
};
