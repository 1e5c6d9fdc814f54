import { setTimeout as delay } from "node:timers/promises";
import { encodeMessage } from "../../../../src/protocol/encode-message.ts";
import type { Abuse } from "../abuse.ts";
import { firstOf } from "../first-of.ts";
import { HostileClient } from "../hostile-client.ts";
import { inParallel } from "../http-caller.ts";
import { plant, treeOf } from "../planted.ts";
import { inOneGo } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const AT_ONCE = 50;
const A_CONNECTION = 30;
const FULL = 600;
/** Then it is not closed for it. */
const CLOSED_WITHIN_MS = 60_000;

/** Until it is closed for it, each asks for other things that take long to find. */
export const questions: Abuse = {
  name: "questions",
  fault: "read-only: connections that send thirty state vectors at once, until they are closed",
  unit: "connections",
  full: FULL,
  short: 40,
  mutants: {
    "questions of a connection": {
      wrong: "a connection may ask as much as it likes, and what it asks for is made in one go",
      edits: [["if (this.#requests.take(context.now()) === 0)", "if (true)"], ...inOneGo],
    },
  },
  async prepare(site, amount) {
    await plant(site, new Tally(), treeOf(amount >= FULL ? 40_000 : 8_000));
  },
  async attack(site, amount) {
    const tally = new Tally();
    await inParallel(amount, AT_ONCE, async (index) => {
      const client = new HostileClient(site, tally, { key: site.readKey, dialect: "stock" });
      if (!(await client.opened())) return;
      for (let count = 0; count < A_CONNECTION; count++) {
        const stateVector = new Uint8Array([1, (index + count) % 128, 1]);
        client.sendBytes(encodeMessage({ kind: "step1", stateVector }));
        tally.add("questions");
      }
      await Promise.race([firstOf(client.socket, "close"), delay(CLOSED_WITHIN_MS)]);
      if (client.isOpen) tally.add("answered");
      client.end();
    });
    return tally.counts;
  },
  harmOf(counts) {
    const open = counts["answered"] ?? 0;
    return open > 0 ? `${open} connections could go on` : undefined;
  },
  lackOf: (counts, amount) => fewerThan(counts, "closed", amount * 0.9),
};
