import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadNow, thisMachine } from "../../bench/machine.ts";
import { type MeasuredRow, measuredRow } from "../../bench/measured-row.ts";
import { renewPage } from "../../bench/performance-page.ts";
import { mergedRows, readResults, writeResults } from "../../bench/results-file.ts";
import { resultsTables } from "../../bench/results-table.ts";
import type { RowOf } from "../../bench/bench-group.ts";
import { launchChromium } from "../support/chromium.ts";
import { bundleSize } from "./bundle-size.ts";
import { BUNDLE_ROWS, OUTLINE_ROWS } from "./client-rows.ts";
import { measureOutline } from "./measure-outline.ts";
import { type BenchOutline, realOutlines, SIZES, syntheticOutline } from "./outlines.ts";

/*
 * `npm run bench:client`: what the app is to reach, and what it reaches on this machine. Writes
 * test/bench/results.json and the app's tables of docs/performance.md; what was not measured stays.
 *   -- --data FOLDER     the real outlines' histories; those of the tests when not given
 *   -- --only NAME       one outline: 1,000, 10,000, 100,000, awesome, awesome-go, dictionary
 *   -- --try             writes nothing
 */

const FIXTURES = fileURLToPath(new URL("../../fixtures/traces", import.meta.url));

function* chosenOutlines(data: string, only: string | undefined): Generator<BenchOutline> {
  const isChosen = ({ name }: BenchOutline): boolean => only === undefined || only === name;
  for (const size of SIZES) {
    const outline = syntheticOutline(size);
    if (isChosen(outline)) yield outline;
  }
  for (const outline of realOutlines(data)) if (isChosen(outline)) yield outline;
}

function rowsOf<Figures>(
  rows: readonly RowOf<Figures>[],
  figures: Figures,
  outline: { readonly outline: string; readonly nodes: number },
): readonly MeasuredRow[] {
  const situation = { at: new Date().toISOString(), load: loadNow() };
  return rows.flatMap((row) => {
    const figure = row.read(figures);
    return figure === undefined ? [] : [measuredRow(row, outline, [figure], situation)];
  });
}

function print({ id, outline, measured, goal, met, unit }: MeasuredRow): void {
  const verdict = met === undefined ? "" : met ? "met" : "MISSED";
  console.log(
    `  ${id} ${outline}: ${measured.median} ${unit} (to ${measured.high})  ${goal} ${verdict}`,
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: "string", default: FIXTURES },
      only: { type: "string" },
      try: { type: "boolean", default: false },
    },
  });
  const rows = [...rowsOf(BUNDLE_ROWS, await bundleSize(), { outline: "", nodes: 0 })];
  rows.forEach(print);
  const browser = await launchChromium();
  try {
    for (const outline of chosenOutlines(values.data, values.only)) {
      const { name, nodes } = outline;
      console.log(`${name}: ${nodes} nodes (load ${loadNow()})`);
      const figures = await measureOutline(browser, outline);
      const measured = rowsOf(OUTLINE_ROWS, figures, { outline: name, nodes });
      measured.forEach(print);
      rows.push(...measured);
    }
  } finally {
    await browser.close();
  }
  if (values.try) return;
  const results = await readResults();
  const ids = new Set([...BUNDLE_ROWS, ...OUTLINE_ROWS].map(({ id }) => id));
  const all = mergedRows(results.client?.rows ?? [], rows, ids);
  const section = { machine: thisMachine(), rows: all };
  await writeResults({ ...results, client: section });
  const tables = [
    { title: "What is loaded", rows: BUNDLE_ROWS },
    { title: "What it costs", rows: OUTLINE_ROWS },
  ];
  await renewPage({ "the app's figures": resultsTables(tables, section) });
}

await main();
