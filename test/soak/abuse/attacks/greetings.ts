import { setTimeout as delay } from "node:timers/promises";
import { decodeServerMessage } from "../../../../src/protocol/decode-message.ts";
import type { Abuse, Site } from "../abuse.ts";
import { HostileClient } from "../hostile-client.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { withoutGateOfReads } from "../mutants.ts";
import { plantLongNames } from "../planted.ts";
import { fewerThan, Tally } from "../tally.ts";

const AT_ONCE = 90;
/** Long enough that the work for it has begun. */
const STAYS_MS = 150;
const FULL = 4_000;
const NODES = { long: 12_000, short: 3_000 };

/** What is to be sent is looked for before it is known whether anybody still wants it. */
export const greetings: Abuse = {
  name: "greetings",
  fault:
    "read-only: connections that say where they stand, at the beginning, and leave; again and again",
  unit: "greetings",
  full: FULL,
  short: 300,
  mutants: {
    "the gate of reads": {
      wrong: "each who asks reads by itself, and many reads at once say that the store fails",
      edits: withoutGateOfReads,
    },
  },
  async prepare(site, amount) {
    await plantLongNames(site, amount >= FULL ? NODES.long : NODES.short);
  },
  async attack(site, amount) {
    const tally = new Tally();
    const epoch = await epochOf(site, tally);
    await inParallel(amount, AT_ONCE, async () => {
      const client = new HostileClient(site, tally, { key: site.readKey });
      if (!(await client.opened())) return;
      client.hello(epoch, 1);
      await delay(Math.random() * STAYS_MS);
      tally.add("greeted");
      client.end();
    });
    // What waits for those who left is done when this is answered.
    const caller = new HttpCaller(site, tally, 1);
    await caller.call("GET", "/api/v1/settings");
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "greeted", amount / 2),
};

async function epochOf(site: Site, tally: Tally): Promise<string> {
  const client = new HostileClient(site, tally, { key: site.readKey });
  await client.opened();
  const epoch = await new Promise<string>((resolve) => {
    client.socket.on("message", (data: Buffer) => {
      const message = decodeServerMessage(new Uint8Array(data));
      if (message.kind === "welcome") resolve(message.epoch);
    });
    client.hello();
  });
  client.end();
  return epoch;
}
