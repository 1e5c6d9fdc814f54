import { setTimeout as delay } from "node:timers/promises";
import { encodeAwarenessUpdate } from "../../../../src/protocol/awareness-update.ts";
import type { Abuse } from "../abuse.ts";
import { HostileClient, strangeClientId } from "../hostile-client.ts";
import { endlessMemory } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const CONNECTIONS = 95;
const STATE = Buffer.from(JSON.stringify({ says: "x".repeat(4_000) }));
const EVERY_MS = 5;

/** What one says, all the others are told. */
export const presences: Abuse = {
  name: "presences",
  fault: "read-only: 95 connections that each change a presence of 4 KB two hundred times a second",
  unit: "presences",
  full: 9_500,
  short: 9_500,
  mutants: {
    "presences of a second": {
      wrong: "whatever a connection says is passed on at once, in no turn",
      edits: [
        ["presencesPerSecond: 20,", "presencesPerSecond: 1e9,"],
        ["presenceBytesPerSecond: 4194304,", "presenceBytesPerSecond: 1e15,"],
        ["BYTES_AT_ONCE = 1048576;", "BYTES_AT_ONCE = 1e15;"],
        endlessMemory,
      ],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const attackOne = async (): Promise<void> => {
      const client = new HostileClient(site, tally, { key: site.readKey });
      if (!(await client.opened())) return;
      client.hello();
      const id = strangeClientId();
      for (let clock = 1; clock <= amount / CONNECTIONS && client.isOpen; clock++) {
        const update = encodeAwarenessUpdate([{ client: id, clock, state: STATE }]);
        client.send({ kind: "awareness", update });
        tally.add("presences");
        await delay(EVERY_MS);
      }
      await delay(500);
      client.end();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, attackOne));
    return tally.counts;
  },
  lackOf: (counts, amount) =>
    fewerThan(counts, "presences", amount / 2) === undefined ||
    fewerThan(counts, "closed4", CONNECTIONS) === undefined
      ? undefined
      : "neither said nor refused",
};
