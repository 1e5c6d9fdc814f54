import { parseArgs } from "node:util";
import { BENCH_GROUPS, GROWTH_ROWS } from "./bench-groups.ts";
import { loadNow, thisMachine } from "./machine.ts";
import { measure } from "./measure.ts";
import type { MeasuredRow } from "./measured-row.ts";
import { measuredGrowth } from "./growth-row.ts";
import { renewPage } from "./performance-page.ts";
import { mergedRows, readResults, writeResults } from "./results-file.ts";
import { resultsTables } from "./results-table.ts";

/*
 * `npm run bench`: every goal of the design, measured on this machine. Writes results.json beside this
 * file and the service's table of docs/performance.md; what was not measured stays as it was.
 *   -- --only NAME          one group (may be repeated)
 *   -- --sizes 1000,10000   these numbers of nodes only
 *   -- --try                writes nothing
 */

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    sizes: { type: "string" },
    try: { type: "boolean", default: false },
  },
});
const names = BENCH_GROUPS.map(({ name }) => name);
const unknown = (values.only ?? []).filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`no group ${unknown.join()}; there are: ${names.join()}`);
  process.exit(2);
}
const only = values.only === undefined ? undefined : new Set(values.only);
const sizes = values.sizes === undefined ? undefined : new Set(values.sizes.split(",").map(Number));

function print(row: MeasuredRow): void {
  const { id, outline, measured, ratio, unit, goal, met, metEasily, nextGoal } = row;
  const verdict = met === undefined ? "" : met ? "met" : "MISSED";
  const figure =
    ratio === undefined ? `${measured.median} ${unit}` : `${ratio.median} of the floor`;
  const next = metEasily === true ? `, next ${nextGoal ?? "goal is to be set"}` : "";
  console.log(`  ${id} ${outline}: ${figure}  ${goal ?? ""} ${verdict}${next}`);
}

const described = [...BENCH_GROUPS.flatMap((group) => group.rows), ...GROWTH_ROWS];

/** Puts what was measured beside what earlier runs did; at once, so that a run may be cut short. */
async function keep(measured: readonly MeasuredRow[]): Promise<void> {
  const results = await readResults();
  const ids = new Set(described.map(({ id }) => id));
  const merged = mergedRows(results.service?.rows ?? [], measured, ids);
  const growth = GROWTH_ROWS.flatMap((row) => measuredGrowth(row, merged) ?? []);
  const section = { machine: thisMachine(), rows: mergedRows(merged, growth, ids) };
  await writeResults({ ...results, service: section });
  const tables = [...BENCH_GROUPS, { title: "What must not grow", rows: GROWTH_ROWS }];
  await renewPage({ "the service's figures": resultsTables(tables, section) });
}

for (const group of BENCH_GROUPS) {
  if (only !== undefined && !only.has(group.name)) continue;
  for (const nodes of group.sizes) {
    if (sizes !== undefined && nodes > 0 && !sizes.has(nodes)) continue;
    const from = performance.now();
    console.log(`${group.name} ${nodes.toLocaleString("en")} (load ${loadNow()})`);
    try {
      const measured = await measure(group, nodes);
      measured.forEach(print);
      if (!values.try) await keep(measured);
    } catch (error) {
      console.error(error);
      process.exitCode = 1;
    }
    console.log(`  ${Math.round((performance.now() - from) / 1000)} s`);
  }
}
