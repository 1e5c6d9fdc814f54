import { argv, cpuUsage } from "node:process";
import { simulate, type Counts } from "./simulation.ts";

/** Runs seeds FROM to TO (1 to 10,000) and prints what happened in them; stops at the first failure. */
const [from, to] = [Number(argv[2] ?? 1), Number(argv[3] ?? 10_000)];
const totals: Counts = {};
for (let seed = from; seed <= to; seed++) {
  for (const [what, times] of Object.entries(simulate(seed))) {
    totals[what] = (totals[what] ?? 0) + times;
  }
  if (seed % 1000 === 0) console.log(`seed ${seed}`);
}
const { user, system } = cpuUsage();
console.log(`seeds ${from} to ${to} passed, ${Math.round((user + system) / 1e6)} CPU seconds`);
console.table(totals);
