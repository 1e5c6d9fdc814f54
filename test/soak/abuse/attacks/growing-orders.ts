import { encodeOrderInt, orderTag } from "../../../../src/core/order-key.ts";
import { ROOT } from "../../../../src/core/node-key.ts";
import { encodePlacement } from "../../../../src/core/placement.ts";
import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { keyOf, PlantingDoc, sendAll } from "../planted.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const DEPTH = 1_300;
const CREATED_AT = Date.UTC(2026, 0, 1);
const A_MESSAGE = 250;

/** As if somebody had always inserted between the same two. */
export const growingOrders: Abuse = {
  name: "growing-orders",
  fault: "siblings whose places take 4,000 characters to tell apart, then more between them",
  unit: "siblings",
  full: 4_000,
  short: 2_000,
  mutants: {
    turns: { wrong: "all that it makes to do is done in one go", edits: withoutTurns },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const planting = new PlantingDoc();
    const prefix = (encodeOrderInt(0) + orderTag(1)).repeat(DEPTH);
    for (let from = 0; from < amount; from += A_MESSAGE) {
      planting.plant(
        Array.from({ length: Math.min(A_MESSAGE, amount - from) }, (_, at) => {
          const order = prefix + encodeOrderInt(from + at);
          return {
            key: keyOf(from + at),
            place: encodePlacement({ parent: ROOT, createdAt: CREATED_AT, order }),
          };
        }),
      );
    }
    await sendAll(site, tally, planting.take());
    const caller = new HttpCaller(site, tally, 4);
    await inParallel(60, 4, (index) =>
      caller.call("POST", `/api/v1/nodes/${keyOf(index)}/move`, {
        body: { parent_id: null, position: index % 2 === 0 ? "top" : "bottom" },
      }),
    );
    caller.close();
    return tally.counts;
  },
  lackOf: (counts) => fewerThan(counts, "bytesSent", 1) ?? fewerThan(counts, "answered", 60),
};
