import { setTimeout as delay } from "node:timers/promises";
import { encodeMessage } from "../../../../src/protocol/encode-message.ts";
import type { Abuse } from "../abuse.ts";
import { HostileClient } from "../hostile-client.ts";
import { HttpCaller } from "../http-caller.ts";
import { plantLongNames } from "../planted.ts";
import { endlessMemory } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const FULL = 100;
const NODES = { long: 12_000, short: 3_000 };
const HELD_MS = { long: 10_000, short: 1_000 };
/** One client of which nothing is known, and so all the others are lacked. */
const ALMOST_NOTHING = encodeMessage({ kind: "step1", stateVector: new Uint8Array([1, 77, 0]) });

/** Nearly a whole state for each, and none of them reads it. */
export const sparseQuestions: Abuse = {
  name: "sparse-questions",
  fault: "read-only: connections that ask for nearly everything, and read nothing of it",
  unit: "connections",
  full: FULL,
  short: 90,
  shortPeakMib: 120,
  mutants: {
    "parts as they are read": {
      wrong:
        "all that is lacked is made at once, whether or not it is read, and nobody has to give it up",
      edits: [
        {
          file: "sync/delivery.js",
          from: "await socket.drained();\n                if (!part.isLast)",
          to: "if (!part.isLast)",
        },
        endlessMemory,
      ],
    },
  },
  async prepare(site, amount) {
    await plantLongNames(site, amount >= FULL ? NODES.long : NODES.short);
  },
  async attack(site, amount) {
    const tally = new Tally();
    const attackOne = async (): Promise<void> => {
      const client = new HostileClient(site, tally, { key: site.readKey, dialect: "stock" });
      if (!(await client.opened())) return;
      client.socket.pause();
      client.sendBytes(ALMOST_NOTHING);
      tally.add("asked");
      await delay(amount >= FULL ? HELD_MS.long : HELD_MS.short);
      client.end();
    };
    await Promise.all(Array.from({ length: amount }, attackOne));
    const caller = new HttpCaller(site, tally, 1);
    await caller.call("GET", "/api/v1/settings");
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "asked", amount * 0.9),
};
