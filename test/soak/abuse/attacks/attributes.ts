import * as Y from "yjs";
import { ROOT } from "../../../../src/core/node-key.ts";
import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { keyOf, placement, PlantingDoc, sendAll } from "../planted.ts";
import { fewerThan, Tally } from "../tally.ts";

const A_MESSAGE = 10_000;
const CALLS = 60;

/** Notes of many authors, which are one note when they are read. */
export const noteAttributes = attributes({
  name: "notes-without-end",
  fault: "one node with as many notes as there are names for them, then it is read and changed",
  set: (text, index) => text.setAttribute(`o${index}`, new Y.Text(`note ${index}`)),
});

/** What a newer version might know. */
export const foreignAttributes = attributes({
  name: "attributes-without-end",
  fault: "one node with as many unknown attributes as there are names, then it is read and changed",
  set: (text, index) => text.setAttribute(`z${index}`, "x".repeat(20)),
});

function attributes(kind: {
  readonly name: string;
  readonly fault: string;
  readonly set: (text: Y.Text, index: number) => void;
}): Abuse {
  const { name, fault, set } = kind;
  return {
    name,
    fault,
    unit: "attributes",
    full: 100_000,
    short: 20_000,
    mutants: {
      "number of names": {
        wrong:
          "a node may have as many notes, and attributes that nobody knows, as there are names",
        edits: [["MAX_NAMES = 64;", "MAX_NAMES = 1e9;"]],
      },
    },
    harmOf(counts, amount) {
      const isTaken = counts["told_refused"] === undefined;
      return isTaken ? `all ${amount} were taken` : undefined;
    },
    async attack(site, amount) {
      const tally = new Tally();
      const planting = new PlantingDoc();
      planting.plant([{ key: keyOf(0), place: placement(ROOT, 0), name: "crowded" }]);
      const text = planting.textOf(keyOf(0));
      for (let from = 0; from < amount; from += A_MESSAGE) {
        planting.doc.transact(() => {
          for (let index = from; index < Math.min(amount, from + A_MESSAGE); index++) {
            set(text, index);
          }
        });
      }
      await sendAll(site, tally, planting.take());
      const caller = new HttpCaller(site, tally, 8);
      await inParallel(CALLS, 8, (index) =>
        index % 3 === 0
          ? caller.call("POST", `/api/v1/nodes/${keyOf(0)}`, { body: { note: `note ${index}` } })
          : caller.call("GET", `/api/v1/nodes${index % 3 === 1 ? `/${keyOf(0)}` : ""}`),
      );
      caller.close();
      return tally.counts;
    },
    lackOf: (counts) => fewerThan(counts, "bytesSent", 1) ?? fewerThan(counts, "answered", CALLS),
  };
}
