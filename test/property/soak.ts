import { argv, cpuUsage } from "node:process";
import { simulate, type Counts } from "./simulation.ts";
import { readTrace } from "./trace-history.ts";
import { replay } from "./trace-replay.ts";

/*
 * The long form of the property tests. Without an argument: the whole traces, then seeds 1 to 10,000;
 * with two numbers: those seeds. Prints what happened, and stops at the first failure.
 */

function replayTraces(): void {
  for (const name of ["awesome", "awesome-go"]) {
    const { commits, merges, equal } = replay(readTrace(name));
    console.log(`${name}: ${commits} commits, ${equal} of ${merges} merges as people made them`);
    if (equal < (name === "awesome" ? 33 : 453)) throw new Error("too few merges are equal");
  }
}

function simulateSeeds(from: number, to: number): void {
  const totals: Counts = {};
  for (let seed = from; seed <= to; seed++) {
    for (const [what, times] of Object.entries(simulate(seed))) {
      totals[what] = (totals[what] ?? 0) + times;
    }
    if (seed % 1000 === 0) console.log(`seed ${seed}`);
  }
  console.log(`seeds ${from} to ${to} passed`);
  console.table(totals);
}

if (argv[2] === undefined) replayTraces();
simulateSeeds(Number(argv[2] ?? 1), Number(argv[3] ?? 10_000));
const { user, system } = cpuUsage();
console.log(`${Math.round((user + system) / 1e6)} CPU seconds`);
