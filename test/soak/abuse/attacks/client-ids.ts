import * as Y from "yjs";
import { nodesOf } from "../../../../src/core/schema.ts";
import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { keyOf, sendAll } from "../planted.ts";
import { fewerThan, Tally } from "../tally.ts";

const A_MESSAGE = 1_000;
const FIRST_ID = 2 ** 29;
const FULL = 24_000;

/** Each of them makes each later transaction slower. */
export const clientIds: Abuse = {
  name: "client-ids",
  fault: "an outline that thousands of ids have written to, then one small write after the other",
  unit: "ids",
  full: FULL,
  short: 20_500,
  mutants: {
    "number of ids": {
      wrong: "as many ids may write to an outline as like to",
      edits: [["maxClients: 2e4,", "maxClients: 1e9,"]],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const updates: Uint8Array[] = [];
    for (let from = 0; from < amount; from += A_MESSAGE) {
      const some = Array.from({ length: Math.min(A_MESSAGE, amount - from) }, (_, index) => {
        const doc = new Y.Doc();
        doc.clientID = FIRST_ID + from + index;
        nodesOf(doc).set(keyOf(from + index), new Y.Text());
        return Y.encodeStateAsUpdate(doc);
      });
      updates.push(Y.mergeUpdates(some));
    }
    await sendAll(site, tally, updates);
    const writes = amount >= FULL ? 400 : 60;
    const caller = new HttpCaller(site, tally, 8);
    await inParallel(writes, 8, (index) =>
      caller.call("POST", "/api/v1/nodes", { body: { name: `small ${index}` } }),
    );
    caller.close();
    return tally.counts;
  },
  harmOf(counts, amount) {
    const isTaken = counts["told_refused"] === undefined;
    return isTaken ? `all of ${amount} ids were taken` : undefined;
  },
  lackOf: (counts) => fewerThan(counts, "bytesSent", 1) ?? fewerThan(counts, "answered", 60),
};
