import { readFile, writeFile } from "node:fs/promises";
import type { Machine } from "./machine.ts";
import type { MeasuredRow } from "./measured-row.ts";

/** What one of the benchmarks has measured. */
export interface ResultsSection {
  readonly machine: Machine;
  readonly rows: readonly MeasuredRow[];
}

/** The results file: the service's figures and the client's. */
export type Results = Readonly<Partial<Record<"service" | "client", ResultsSection>>>;

const FILE = new URL("results.json", import.meta.url);

/** What was measured before; nothing on a first run. */
export async function readResults(): Promise<Results> {
  try {
    return JSON.parse(await readFile(FILE, "utf8")) as Results;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

export async function writeResults(results: Results): Promise<void> {
  await writeFile(FILE, `${JSON.stringify(results, null, 2)}\n`);
}

function placeOf({ id, outline }: MeasuredRow): string {
  return `${id} ${outline}`;
}

/** Keeps of earlier results what was not measured again and still has a row. @param ids in order */
export function mergedRows(
  earlier: readonly MeasuredRow[],
  measured: readonly MeasuredRow[],
  ids: ReadonlySet<string>,
): readonly MeasuredRow[] {
  const again = new Set(measured.map(placeOf));
  const kept = earlier.filter((row) => ids.has(row.id) && !again.has(placeOf(row)));
  const order = [...ids];
  return [...kept, ...measured].toSorted(
    (a, b) => order.indexOf(a.id) - order.indexOf(b.id) || a.nodes - b.nodes,
  );
}
