import { type Find, type SearchLimits, wordsOf } from "./cost/search.ts";
import { search } from "./cost/searching-process.ts";
import { controlsOf, type Mutant } from "./abuse/mutant.ts";
import type { SoakRow } from "./soak-row.ts";

const FULL = 1_000_000;
const SHORT = 16;
/** The long form ends by then with whatever it has done: a search has no end of its own. */
const LONGEST_MS = 60 * 60_000;
const MAX_BYTES = { long: 400_000, short: 60_000 };
const LONG_LIMITS: SearchLimits = { msPerKib: 10, timeIn: "ms", memoryFactor: 100 };
/** In the short form other tests run beside it: what takes as many times as long as what people do. */
const SHORT_LIMITS: SearchLimits = { msPerKib: 20, timeIn: "honest", memoryFactor: 100 };

interface CostControl extends Mutant {
  /** The limit that has to find it out; the other one is none then. */
  readonly limit: "msPerKib" | "memoryFactor";
}

const CONTROLS: Readonly<Record<string, CostControl>> = {
  "seeds of stubs": {
    wrong: "a few bytes stand for as many months of the calendar as there are",
    limit: "msPerKib",
    edits: [
      ["var MAX_SEEDS = 200;", "var MAX_SEEDS = 1e9;"],
      ["var SEED_BYTES_PER_BYTE = 4;", "var SEED_BYTES_PER_BYTE = 1e9;"],
    ],
  },
  "long entities": {
    wrong: "an entity may be as long as it likes, and is written for each character of a text",
    limit: "memoryFactor",
    edits: [
      ["MAX_ENTITY_LENGTH = 40;", "MAX_ENTITY_LENGTH = 65_536;"],
      ["WHOLE_ENTITY = /^&(?:#[0-9]{1,8}|", "WHOLE_ENTITY = /^&(?:#[0-9]+|"],
      ["MAX_MARKUP = 2 ** 21;", "MAX_MARKUP = 2 ** 40;"],
    ],
  },
};

/** What one client can say is looked through for what costs the server most for each byte. */
export const costRow: SoakRow = {
  name: "cost",
  fault: "a search over all that a client can send, for what costs most for each byte of it",
  goal: "no case costs over 10 ms of processor time for each KiB, nor takes more than 100 times its bytes of memory",
  unit: "cases",
  full: FULL,
  short: SHORT,
  budgetMs: 2 * LONGEST_MS,
  controls: controlsOf(CONTROLS),
  async run({ amount, seed, control, goesOn }) {
    const isShort = amount <= SHORT;
    const mutant = control === undefined ? undefined : CONTROLS[control];
    const all = isShort ? SHORT_LIMITS : LONG_LIMITS;
    const none = { ...all, msPerKib: Infinity, memoryFactor: Infinity };
    const limits = mutant === undefined ? all : { ...none, [mutant.limit]: all[mutant.limit] };
    const maxBytes = isShort ? MAX_BYTES.short : MAX_BYTES.long;
    const task = { amount, seed, maxBytes, limits, isOneEnough: control !== undefined };
    const endsAt = performance.now() + LONGEST_MS;
    const report = await search(task, mutant, {
      goesOn: (done) => goesOn(done) && performance.now() < endsAt,
      // Of the long form nobody waits for the end.
      onFailure: (failure) => isShort || console.log(`         over the limit: ${failure}`),
    });
    const { cases, failures, time, memory, tally } = report;
    if (!isShort) showFinds(time, memory);
    const applied = (tally["updates"] ?? 0) - refusedOf(tally);
    const isVacuous = applied <= 0 || tally["status 200"] === undefined;
    return {
      // Of the long form that is as much as there was time for.
      done: amount >= FULL ? amount : cases,
      failures: isVacuous ? [...failures, "nothing that was sent was taken"] : failures,
      figures: {
        cases,
        dearestMsPerKib: time[0]?.msPerKib ?? 0,
        dearestMemoryFactor: memory[0]?.memoryFactor ?? 0,
        requestsAnswered: tally["status 200"] ?? 0,
        updatesApplied: applied,
      },
    };
  },
};

function refusedOf(tally: Readonly<Record<string, number>>): number {
  const refused = Object.entries(tally).filter(([what]) => what.startsWith("refused"));
  return refused.reduce((sum, [, count]) => sum + count, 0);
}

function showFinds(time: readonly Find[], memory: readonly Find[]): void {
  for (const find of time) console.log(`         time: ${wordsOf(find)}`);
  for (const find of memory) console.log(`         memory: ${wordsOf(find)}`);
}
