import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { withoutTurns } from "../mutants.ts";
import { plant, treeOf } from "../planted.ts";
import { fewerThan, Tally } from "../tally.ts";

const AT_ONCE = 16;
const TERMS = 50;
const FULL = 160;
/** Words of the planted names, so that each two letters of a phrase of them stand in every name. */
const WORDS = ["node", "number", "of", "an", "outline", "that", "is", "large"];

/** No name has one of these phrases, and each has to be looked for in every name. */
export const searches: Abuse = {
  name: "searches",
  fault: "searches for fifty phrases that nothing contains, counted and by date, sixteen at a time",
  unit: "searches",
  full: FULL,
  short: 32,
  mutants: withoutTurns,
  async prepare(site, amount) {
    await plant(site, new Tally(), treeOf(amount >= FULL ? 100_000 : 30_000));
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, AT_ONCE);
    await inParallel(amount, AT_ONCE, async (index) => {
      const query = `q=${encodeURIComponent(queryOf(index))}&sort=modified&include=count,path,spans`;
      const key = site.readKey;
      const { status } = await caller.call("GET", `/api/v1/search?${query}`, { key });
      tally.add(`searched${status}`);
    });
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "searched200", amount),
};

/** Of two words that don't stand side by side; another one for each index, so that none is known. */
function queryOf(index: number): string {
  const phrases: string[] = [];
  for (let at = index; phrases.length < TERMS; at++) {
    const first = WORDS[at % WORDS.length] ?? "";
    const second = WORDS[(Math.floor(at / WORDS.length) + at) % WORDS.length] ?? "";
    if (WORDS.indexOf(second) === WORDS.indexOf(first) + 1) continue;
    phrases.push(`"${first.slice(at % 3 === 0 ? 1 : 0)} ${second} ${at % 7 === 0 ? "an" : first}"`);
  }
  return phrases.join(" OR ");
}
