import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isFoundOut, runRow, type SoakRow } from "./soak-row.ts";
import { SOAK_ROWS } from "./soak-rows.ts";

/*
 * `npm run soak [-- NAME…] [-- --amount N] [-- --seed N]`: every fault of the table in its long form,
 * then its controls in the short one. A name stands for all rows that begin with it and a slash, too. Prints a line for each, and puts each row that ran in full into
 * `results.json` beside this file. Ends with 1 when a row failed or a control did not.
 */

const RESULTS = new URL("results.json", import.meta.url);

interface Line {
  readonly row: string;
  readonly fault: string;
  readonly goal: string;
  readonly done: string;
  readonly failures: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
  /** By name: whether the broken variant was found out. */
  readonly controls: Readonly<Record<string, boolean>>;
  readonly seconds: number;
  readonly seed: number;
  /** When it ended, ISO 8601. */
  readonly at: string;
  readonly machine: { readonly node: string; readonly cores: number };
}

function progressOf(row: SoakRow, amount: number): (done: number) => void {
  let saidAt = performance.now();
  return (done) => {
    if (performance.now() < saidAt + 30_000) return;
    saidAt = performance.now();
    console.log(`${row.name}: ${done} of ${amount} ${row.unit}`);
  };
}

async function lineOf(row: SoakRow, amount: number, seed: number): Promise<Line> {
  const startedAt = performance.now();
  const result = await runRow(row, { amount, seed, onProgress: progressOf(row, amount) });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const controls: Record<string, boolean> = {};
  for (const control of Object.keys(row.controls)) {
    controls[control] = await isFoundOut(row, control);
  }
  return {
    row: row.name,
    fault: row.fault,
    goal: row.goal,
    done: `${result.done} ${row.unit}`,
    failures: result.failures,
    figures: result.figures,
    controls,
    seconds,
    seed,
    at: new Date().toISOString(),
    machine: { node: process.version, cores: availableParallelism() },
  };
}

/** Puts a line in the place of the row's last one. */
async function keep(line: Line): Promise<void> {
  const text = await readFile(RESULTS, "utf8").catch(() => "[]");
  const kept = new Map((JSON.parse(text) as Line[]).map((each) => [each.row, each]));
  kept.set(line.row, line);
  const lines = SOAK_ROWS.flatMap(({ name }) => kept.get(name) ?? []);
  await writeFile(RESULTS, `${JSON.stringify(lines, null, 2)}\n`);
}

function print({ row, done, seconds, failures, figures, controls }: Line): void {
  console.log(`${failures.length === 0 ? "holds" : "FAILS"}  ${row}: ${done} in ${seconds} s`);
  for (const [name, figure] of Object.entries(figures)) console.log(`         ${name}: ${figure}`);
  for (const failure of failures.slice(0, 20)) console.log(`         FAILURE: ${failure}`);
  for (const [name, isFound] of Object.entries(controls)) {
    console.log(`         control ${name}: ${isFound ? "found out" : "NOT FOUND OUT"}`);
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { amount: { type: "string" }, seed: { type: "string", default: "1" } },
});

function isMeant(row: SoakRow, name: string): boolean {
  return row.name === name || row.name.startsWith(`${name}/`);
}

const unknown = positionals.filter((name) => !SOAK_ROWS.some((row) => isMeant(row, name)));
if (unknown.length > 0) {
  console.error(`no row ${unknown.join()}; there are: ${SOAK_ROWS.map(({ name }) => name).join()}`);
  process.exit(2);
}

const lines: Line[] = [];
for (const row of SOAK_ROWS) {
  if (positionals.length > 0 && !positionals.some((name) => isMeant(row, name))) continue;
  const obstacle = row.obstacle?.();
  if (obstacle !== undefined) {
    console.log(`NOT RUN  ${row.name}: ${obstacle}`);
    continue;
  }
  const line = await lineOf(row, Number(values.amount ?? row.full), Number(values.seed));
  print(line);
  lines.push(line);
  if (values.amount === undefined) await keep(line);
}
const isGood = lines.every(
  ({ failures, controls }) => failures.length === 0 && Object.values(controls).every(Boolean),
);
process.exitCode = isGood ? 0 : 1;
