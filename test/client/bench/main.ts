import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { launchChromium } from "../support/chromium.ts";
import { bundleSize } from "./bundle-size.ts";
import { measureOutline, type OutlineFigures } from "./measure-outline.ts";
import { type BenchOutline, realOutlines, SIZES, syntheticOutline } from "./outlines.ts";

/*
 * `npm run bench:client`: what the client is to reach, and what it reaches on this machine.
 *   -- --data FOLDER     the real outlines' histories; those of the tests when not given
 *   -- --only NAME       one outline: 1,000, 10,000, 100,000, awesome, awesome-go, English nouns
 */

const FIXTURES = fileURLToPath(new URL("../../fixtures/traces", import.meta.url));

interface Goal {
  readonly figure: string;
  readonly measured: (figures: OutlineFigures) => number;
  /** Undefined: nothing was promised for outlines of this size. */
  readonly atMost: (nodes: number) => number | undefined;
}

const always = (limit: number) => (): number => limit;
const upTo = (size: number, limit: number) => (nodes: number) =>
  nodes <= size ? limit : undefined;

const GOALS: readonly Goal[] = [
  {
    figure: "first rows, ms after navigation",
    measured: (f) => f.firstRowsMs,
    atMost: always(300),
  },
  {
    figure: "ready, CPU ms",
    measured: (f) => f.readyCpuMs,
    atMost: (nodes) => (nodes <= 10_000 ? 200 : 1000),
  },
  { figure: "longest task, ms", measured: (f) => f.longestTaskMs, atMost: always(200) },
  { figure: "heap, MB", measured: (f) => f.heapMb, atMost: always(150) },
  { figure: "keystroke, CPU ms", measured: (f) => f.keystrokeCpuMs, atMost: always(4) },
  {
    figure: "keystroke to paint, p95 ms",
    measured: (f) => f.keystrokePaintP95Ms,
    atMost: always(20),
  },
  { figure: "Enter, CPU ms", measured: (f) => f.enterCpuMs, atMost: always(12) },
  { figure: "Tab, CPU ms", measured: (f) => f.tabCpuMs, atMost: always(12) },
  { figure: "collapse all, CPU ms", measured: (f) => f.collapseAllCpuMs, atMost: always(40) },
  { figure: "expand all, CPU ms", measured: (f) => f.expandAllCpuMs, atMost: always(40) },
  {
    figure: "search as you type, CPU ms a key",
    measured: (f) => f.searchCpuMs,
    atMost: always(20),
  },
  { figure: "most rows in the page", measured: (f) => f.mostRows, atMost: always(70) },
  { figure: "reconnect until converged, ms", measured: (f) => f.reconnectMs, atMost: always(1000) },
  { figure: "idle, CPU ms a second", measured: (f) => f.idleCpuMsPerSec, atMost: upTo(0, 0) },
  { figure: "idle, timers and frames in 5 s", measured: (f) => f.idleWakeups, atMost: always(0) },
];

interface Row {
  readonly outline: string;
  readonly figure: string;
  readonly goal: string;
  readonly measured: number;
  readonly met: string;
}

function row(outline: string, figure: string, value: number, atMost: number | undefined): Row {
  return {
    outline,
    figure,
    goal: atMost === undefined ? "" : `≤ ${atMost}`,
    measured: Math.round(value * 10) / 10,
    met: atMost === undefined ? "" : value <= atMost ? "yes" : "NO",
  };
}

function* chosenOutlines(data: string, only: string | undefined): Generator<BenchOutline> {
  const isChosen = ({ name }: BenchOutline): boolean => only === undefined || only === name;
  for (const size of SIZES) {
    const outline = syntheticOutline(size);
    if (isChosen(outline)) yield outline;
  }
  for (const outline of realOutlines(data)) if (isChosen(outline)) yield outline;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { data: { type: "string", default: FIXTURES }, only: { type: "string" } },
  });
  const { firstKb, openKb, largestLazyKb } = await bundleSize();
  const rows = [
    row("", "first JavaScript, KB gz", firstKb, 75),
    row("", "JavaScript until the outline can be edited, KB gz", openKb, 75 + 45),
    row("", "largest script of the others, KB gz", largestLazyKb, 45),
  ];
  const browser = await launchChromium();
  try {
    for (const outline of chosenOutlines(values.data, values.only)) {
      console.error(`${outline.name}: ${outline.nodes} nodes`);
      const figures = await measureOutline(browser, outline);
      for (const { figure, measured, atMost } of GOALS) {
        rows.push(row(outline.name, figure, measured(figures), atMost(outline.nodes)));
      }
    }
  } finally {
    await browser.close();
  }
  console.table(rows);
}

await main();
