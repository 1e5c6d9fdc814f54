import { ROOT } from "../../../../src/core/node-key.ts";
import { UpdateBuilder } from "../../../bench/update-builder.ts";
import type { Abuse } from "../abuse.ts";
import { strangeClientId } from "../hostile-client.ts";
import { HttpCaller } from "../http-caller.ts";
import { keyOf, placement, sendAll } from "../planted.ts";
import { fewerThan, Tally } from "../tally.ts";

const ITEMS_A_FORMAT = 20;

/** Each run of the text is read with all the formats that are open, which are copied for it. */
export const openFormats: Abuse = {
  name: "open-formats",
  fault: "a text of many pieces behind many formats that are never closed, then it is read",
  unit: "pieces",
  full: 120_000,
  short: 15_000,
  mutants: {
    "shared formats": {
      wrong:
        "a text may have any number of unknown formats, and each piece has its own copy of them",
      edits: [
        ["MAX_FOREIGN_FORMATS = 8;", "MAX_FOREIGN_FORMATS = 1e9;"],
        ["getOrMake(byValue, value, () => this.#after(key, value))", "this.#after(key, value)"],
      ],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    await sendAll(site, tally, [updateOf(amount)]);
    const caller = new HttpCaller(site, tally, 1);
    for (let count = 0; count < 2; count++) await caller.call("GET", `/api/v1/nodes/${keyOf(0)}`);
    caller.close();
    return tally.counts;
  },
  lackOf: (counts) => fewerThan(counts, "bytesSent", 1) ?? fewerThan(counts, "answered", 2),
};

function updateOf(pieces: number): Uint8Array {
  const builder = new UpdateBuilder(strangeClientId());
  const text = builder.add({ type: 2 }, { parent: "nodes", sub: keyOf(0) });
  builder.add({ any: placement(ROOT, 0) }, { parent: text, sub: "p" });
  const formats = Math.ceil(pieces / ITEMS_A_FORMAT);
  let last = builder.add({ format: ["f0", true] }, { parent: text });
  for (let index = 1; index < formats; index++) {
    last = builder.add({ format: [`f${index}`, true] }, { left: last });
  }
  for (let index = 0; index < pieces; index += 2) {
    last = builder.add({ text: "a" }, { left: last });
    last = builder.add({ format: ["b", index % 4 === 0 ? true : null] }, { left: last });
  }
  builder.add({ text: "z" }, { left: last });
  return builder.encode();
}
