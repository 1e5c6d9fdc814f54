import { encodeTime } from "../../../../src/core/hybrid-clock.ts";
import { ROOT } from "../../../../src/core/node-key.ts";
import { shortcutsOf } from "../../../../src/core/schema.ts";
import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { keyOf, placement, PlantingDoc, sendAll } from "../planted.ts";
import { fewerThan, Tally } from "../tally.ts";

const A_MESSAGE = 10_000;
const CALLS = 24;
/** With those that were set over the API. */
const MOST = 2_000;

/** They are listed by age, and found by name. */
export const shortcuts: Abuse = {
  name: "shortcuts",
  fault: "shortcuts without end by websocket, then they are listed, looked up and renamed",
  unit: "shortcuts",
  full: 100_000,
  short: 6_000,
  mutants: {
    "number of shortcuts": {
      wrong: "there may be as many shortcuts as one likes",
      edits: [["MAX_SHORTCUTS = 1e3;", "MAX_SHORTCUTS = 1e9;"]],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const planting = new PlantingDoc();
    planting.plant([{ key: keyOf(0), place: placement(ROOT, 0) }]);
    for (let from = 0; from < amount; from += A_MESSAGE) {
      planting.doc.transact(() => {
        for (let index = from; index < Math.min(amount, from + A_MESSAGE); index++) {
          shortcutsOf(planting.doc).set(
            `s${index}`,
            keyOf(0) + encodeTime(1_750_000_000_000 + index),
          );
        }
      });
    }
    await sendAll(site, tally, planting.take());
    const caller = new HttpCaller(site, tally, 4);
    await inParallel(CALLS, 4, (index) =>
      index % 2 === 0
        ? caller.call("GET", "/api/v1/targets")
        : caller.call("POST", "/api/v1/targets", { body: { key: `more${index}`, id: keyOf(0) } }),
    );
    const { text } = await caller.call("GET", "/api/v1/targets");
    tally.add("shortcuts", text.split('"shortcut"').length - 1);
    caller.close();
    return tally.counts;
  },
  harmOf(counts) {
    const there = counts["shortcuts"] ?? 0;
    return there > MOST ? `there are ${there} shortcuts` : undefined;
  },
  lackOf: (counts) => fewerThan(counts, "bytesSent", 1) ?? fewerThan(counts, "answered", CALLS),
};
