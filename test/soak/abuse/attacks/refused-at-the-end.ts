import type { Abuse } from "../abuse.ts";
import { openWriter, strangeClientId } from "../hostile-client.ts";
import { keyOf } from "../planted.ts";
import { UpdateBuilder } from "../../../bench/update-builder.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const STRUCTS = 149_000;
const CONNECTIONS = 6;

/** All but the last of it is as it should be. */
export const refusedAtTheEnd: Abuse = {
  name: "refused-at-the-end",
  fault: "updates of 149,000 structs of which the last may not be, by several at a time",
  unit: "updates",
  full: 120,
  short: 6,
  mutants: withoutTurns,
  async attack(site, amount) {
    const tally = new Tally();
    const update = wrongUpdate();
    const attackOne = async (): Promise<void> => {
      let writer = await openWriter(site, tally);
      for (let count = 0; count < amount / CONNECTIONS; count++) {
        if (!writer.isOpen) writer = await openWriter(site, tally);
        writer.update(update);
        await writer.settled();
      }
      writer.end();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, attackOne));
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "refused", amount / 2),
};

function wrongUpdate(): Uint8Array {
  const builder = new UpdateBuilder(strangeClientId());
  const text = builder.add({ type: 2 }, { parent: "nodes", sub: keyOf(0) });
  let last = builder.add({ text: "a" }, { parent: text });
  for (let index = 1; index < STRUCTS; index++) last = builder.add({ text: "a" }, { left: last });
  builder.add({ any: "no place for it" }, { parent: "nodes", sub: "no key" });
  return builder.encode();
}
