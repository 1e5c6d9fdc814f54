import { unitMs } from "./abuse/work-unit.ts";
import { type Find, type SearchLimits, wordsOf } from "./cost/search.ts";
import { search, type Weakness } from "./cost/searching-process.ts";
import type { SoakRow } from "./soak-row.ts";

const FULL = 1_000_000;
const SHORT = 40;
/** The long form ends by then with whatever it has done: a search has no end of its own. */
const LONGEST_MS = 60 * 60_000;
const MEMORY_FACTOR = 100;
const MS_PER_KIB = 10;
/** In the short form times are judged by what the machine does meanwhile, and generously. */
const MARGIN = 20;
const MAX_BYTES = { long: 400_000, short: 100_000 };

const WEAKNESSES: Readonly<Record<string, Weakness>> = {
  "steps between others": {
    wrong: "any number of steps may be needed to find the places of what is written",
    file: "core/update-guard.ts",
    edits: [
      ["maxConflictSteps: 150_000,", "maxConflictSteps: Infinity,"],
      ["maxStepsOfStruct: 10_000,", "maxStepsOfStruct: Infinity,"],
    ],
  },
  "bytes of seeds": {
    wrong: "a few bytes stand for as many months of the calendar as there are",
    file: "core/update-guard.ts",
    edits: [
      ["const MAX_SEEDS = 200;", "const MAX_SEEDS = 1e9;"],
      ["const SEED_BYTES_PER_BYTE = 4;", "const SEED_BYTES_PER_BYTE = 1e9;"],
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
  controls: Object.fromEntries(
    Object.entries(WEAKNESSES).map(([name, { wrong }]) => [name, wrong]),
  ),
  async run({ amount, seed, control, goesOn }) {
    const isJudgedByTime = amount > SHORT;
    const limits: SearchLimits = {
      msPerKib: MS_PER_KIB * (isJudgedByTime ? 1 : MARGIN * unitMs()),
      memoryFactor: MEMORY_FACTOR,
    };
    const maxBytes = isJudgedByTime ? MAX_BYTES.long : MAX_BYTES.short;
    const task = { amount, seed, maxBytes, limits, isOneEnough: control !== undefined };
    const weakness = control === undefined ? undefined : WEAKNESSES[control];
    const endsAt = performance.now() + LONGEST_MS;
    const report = await search(
      task,
      weakness,
      (done) => goesOn(done) && performance.now() < endsAt,
    );
    const { cases, failures, time, memory, tally } = report;
    if (isJudgedByTime) showFinds(time, memory);
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
