import type { Machine } from "./machine.ts";
import type { MeasuredRow, Spread } from "./measured-row.ts";
import type { ResultsSection } from "./results-file.ts";

/** What the table says about a row beyond what was measured. */
export interface RowNotes {
  readonly id: string;
  readonly what: string;
  readonly floor?: string;
  readonly limit: string;
}

/** Rows that stand in one table. */
export interface TableOf {
  readonly title: string;
  readonly rows: readonly RowNotes[];
}

/** A line of cells, as markdown has it. */
function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function number(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 3 });
}

/** A middle, and how far the rounds were apart where that is worth saying. */
function spread({ median, low, high }: Spread): string {
  const isWide = high - low > Math.abs(median) / 5;
  return isWide ? `${number(median)} (${number(low)} to ${number(high)})` : number(median);
}

/** A ratio has what it was made of behind it; what is missed is bold. */
function cellOf({ measured, floor, ratio, met }: MeasuredRow): string {
  const figure = spread(ratio ?? measured);
  const judged = met === false ? `**${figure}**` : figure;
  if (floor === undefined) return judged;
  const other = number(floor.median);
  return ratio === undefined
    ? `${judged} [${other}]`
    : `${judged}: ${number(measured.median)} [${other}]`;
}

/** The goals of a row: one, or one for some of the outlines. */
function goalOf(results: readonly MeasuredRow[], key: "goal" | "nextGoal"): string {
  const texts = [...new Set(results.flatMap((result) => result[key] ?? []))];
  if (texts.length === 1 && results.every((result) => result[key] !== undefined)) {
    return texts.join();
  }
  return texts
    .map((text) => {
      const outlines = results.filter((result) => result[key] === text);
      return `${text} (${outlines.map(({ outline }) => outline).join(", ")})`;
    })
    .join("; ");
}

function tableOf({ title, rows }: TableOf, results: readonly MeasuredRow[]): string {
  const own = results.filter(({ id }) => rows.some((row) => row.id === id));
  const bySize = own.toSorted((a, b) => a.nodes - b.nodes);
  const outlines = [...new Set(bySize.map(({ outline }) => outline))];
  const headings = outlines.map((outline) => (outline === "" ? "measured" : outline));
  const lines = [
    line(["", "goal", ...headings, "limited by", "next goal"]),
    line(["---", "---", ...headings.map(() => "---:"), "---", "---"]),
  ];
  for (const { id, what, floor, limit } of rows) {
    const figures = own.filter((result) => result.id === id);
    const [first] = figures;
    if (first === undefined) continue;
    const unit = first.unit === "" ? "" : `, ${first.unit}`;
    lines.push(
      line([
        `${what}${unit}${floor === undefined ? "" : ` [${floor}]`}`,
        goalOf(figures, "goal"),
        ...outlines.map((outline) => {
          const figure = figures.find((each) => each.outline === outline);
          return figure === undefined ? "" : cellOf(figure);
        }),
        limit,
        goalOf(figures, "nextGoal"),
      ]),
    );
  }
  return `### ${title}\n\n${lines.join("\n")}`;
}

/** When it was measured, on what, and how much else that had to do. */
function situationOf(machine: Machine, results: readonly MeasuredRow[]): string {
  const times = results.map(({ at }) => at).toSorted();
  const minute = (at: string | undefined) => at?.slice(0, 16).replace("T", " ") ?? "";
  const loads = results.map(({ load }) => load);
  const { node, cores, cpu, memoryGb } = machine;
  return (
    `Node ${node}, ${cores} cores (${cpu}), ${memoryGb} GB. ` +
    `Measured from ${minute(times[0])} to ${minute(times.at(-1))} UTC; ` +
    `the machine's load before each measurement: ${Math.min(...loads)} to ${Math.max(...loads)}.`
  );
}

/** The results as markdown, one table after the other. */
export function resultsTables(
  tables: readonly TableOf[],
  { machine, rows: results }: ResultsSection,
): string {
  const measured = tables.filter(({ rows }) =>
    rows.some(({ id }) => results.some((result) => result.id === id)),
  );
  return [situationOf(machine, results), ...measured.map((table) => tableOf(table, results))].join(
    "\n\n",
  );
}
