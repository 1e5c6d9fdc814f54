import { randomBytes } from "node:crypto";
import type { Abuse } from "../abuse.ts";
import { firstOf } from "../first-of.ts";
import { HostileClient } from "../hostile-client.ts";
import { inParallel } from "../http-caller.ts";
import { plant, treeOf } from "../planted.ts";
import { withoutGateOfReads } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const AT_ONCE = 90;
const FULL = 4_000;

/** A new device each time, of another history each time. */
export const reconnects: Abuse = {
  name: "reconnects",
  fault:
    "connections that greet with an epoch that nobody knows, are sent everything, and come again",
  unit: "connections",
  full: FULL,
  short: 400,
  mutants: {
    "the gate of reads": {
      wrong: "each who asks reads by itself, and many reads at once say that the store fails",
      edits: withoutGateOfReads,
    },
  },
  async prepare(site, amount) {
    await plant(site, new Tally(), treeOf(amount >= FULL ? 20_000 : 4_000));
  },
  async attack(site, amount) {
    const tally = new Tally();
    await inParallel(amount, AT_ONCE, async () => {
      const client = new HostileClient(site, tally);
      if (!(await client.opened())) return;
      client.hello(randomBytes(16).toString("hex"), 1_000_000);
      await firstOf(client.socket, "message", "close");
      client.end();
    });
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "told_welcome", amount / 2),
};
