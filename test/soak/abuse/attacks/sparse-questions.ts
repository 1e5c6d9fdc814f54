import { setTimeout as delay } from "node:timers/promises";
import { encodeMessage } from "../../../../src/protocol/encode-message.ts";
import type { Abuse } from "../abuse.ts";
import { HostileClient } from "../hostile-client.ts";
import { HttpCaller } from "../http-caller.ts";
import { plantLongNames } from "../planted.ts";
import { endlessMemory } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

/** With the one that reads, as many as a user may have. */
const FULL = 99;
/** More than fits into the system's buffers of a connection. */
const NODES = 12_000;
const ALL_BYTES = NODES * 1_000;
const HELD_MS = { long: 10_000, short: 500 };
/** One client of which nothing is known, and so all the others are lacked. */
const ALMOST_NOTHING = encodeMessage({ kind: "step1", stateVector: new Uint8Array([1, 77, 0]) });

/** Nearly a whole state for each, and none of them reads it. */
export const sparseQuestions: Abuse = {
  name: "sparse-questions",
  fault: "read-only: connections that ask for nearly everything, and read nothing of it",
  unit: "connections",
  full: FULL,
  short: 40,
  shortPeakMib: 120,
  mutants: {
    "parts as they are read": {
      wrong:
        "all that is lacked is made at once, whether or not it is read, and nobody has to give it up",
      edits: [
        ["await socket.drained();\n\t\t\t\tif (!part.isLast)", "if (!part.isLast)"],
        endlessMemory,
      ],
    },
  },
  async prepare(site) {
    await plantLongNames(site, NODES);
  },
  async attack(site, amount) {
    const tally = new Tally();
    const clients: HostileClient[] = [];
    const attackOne = async (): Promise<void> => {
      const client = new HostileClient(site, tally, { key: site.readKey, dialect: "stock" });
      if (!(await client.opened())) return;
      client.socket.pause();
      client.sendBytes(ALMOST_NOTHING);
      tally.add("asked");
      clients.push(client);
    };
    await Promise.all(Array.from({ length: amount }, attackOne));
    // When somebody who has asked behind them, and reads, has it all, it was made for them too.
    const reader = new HostileClient(site, tally, { key: site.readKey, dialect: "stock" });
    if (await reader.opened()) reader.sendBytes(ALMOST_NOTHING);
    await new Promise<void>((resolve) => {
      reader.socket.on("message", () => {
        if (tally.get("bytesReceived") >= ALL_BYTES) resolve();
      });
      reader.socket.once("close", () => resolve());
    });
    await delay(amount >= FULL ? HELD_MS.long : HELD_MS.short);
    for (const client of [...clients, reader]) client.end();
    const caller = new HttpCaller(site, tally, 1);
    await caller.call("GET", "/api/v1/settings");
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "asked", amount * 0.9),
};
