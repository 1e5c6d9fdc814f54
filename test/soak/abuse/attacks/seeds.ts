import * as Y from "yjs";
import { seedFor } from "../../../../src/core/calendar/month-seed.ts";
import { monthKey, yearKey } from "../../../../src/core/node-key.ts";
import type { Abuse } from "../abuse.ts";
import { sendAll } from "../planted.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const A_MESSAGE = 180;
const FIRST_YEAR = 1_000;

/** A client id each, and thirty nodes. */
export const seeds: Abuse = {
  name: "seeds",
  fault: "the calendars of thousands of years, 180 months a message",
  unit: "months",
  full: 6_000,
  short: 360,
  mutants: withoutTurns,
  async attack(site, amount) {
    const tally = new Tally();
    const updates: Uint8Array[] = [];
    let some: Uint8Array[] = [];
    for (let index = 0; index < amount; index++) {
      const year = FIRST_YEAR + Math.floor(index / 12);
      const month = 1 + (index % 12);
      const wanted =
        index % 12 === 0 ? [yearKey(year), monthKey(year, month)] : [monthKey(year, month)];
      some.push(...wanted.flatMap((key) => seedFor(key) ?? []));
      if (some.length < A_MESSAGE && index < amount - 1) continue;
      updates.push(Y.mergeUpdates(some));
      some = [];
    }
    await sendAll(site, tally, updates, 4);
    return tally.counts;
  },
  lackOf: (counts) => fewerThan(counts, "bytesSent", 1),
};
