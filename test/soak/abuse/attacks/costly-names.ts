import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const AT_ONCE = 32;
const LENGTH = 2 ** 20 - 1_000;
const PIECES = ["<", "](", "[", "*a", "&"];

/** What begins a format and is none takes the longest to read. */
export const costlyNames: Abuse = {
  name: "costly-names",
  fault: "updates of a name with a megabyte of what might begin a format and does not",
  unit: "updates",
  full: 96,
  short: 32,
  shortPeakMib: 300,
  mutants: withoutTurns,
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, AT_ONCE);
    const { text } = await caller.call("POST", "/api/v1/nodes", { body: { name: "short" } });
    const { item_id: id } = JSON.parse(text) as { readonly item_id: string };
    await inParallel(amount, AT_ONCE, async (index) => {
      const piece = PIECES[Math.floor(index / 2) % PIECES.length] ?? "";
      const name = piece.repeat(Math.floor(LENGTH / piece.length));
      await caller.call("POST", `/api/v1/nodes/${id}`, { body: { name: `${index} ${name}` } });
    });
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "answered", amount),
};
