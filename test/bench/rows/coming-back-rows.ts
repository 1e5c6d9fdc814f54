import { always, benchGroup, noGoal, type RowOf, upTo } from "../bench-group.ts";
import { type ComingBackFigures, measureComingBack } from "../coming-back.ts";
import { atMost, type Goal } from "../goal.ts";

/** The goal for memory was set for a restart of so many. */
const FEW = 300;

interface RowParts {
  readonly unit: string;
  readonly goal?: (users: number) => Goal | undefined;
  readonly scale?: number;
  readonly limit: string;
}

function row<Who extends string, Figure extends string>(
  who: Who,
  figure: Figure,
  what: string,
  { unit, goal = noGoal, scale = 1, limit }: RowParts,
): RowOf<Readonly<Record<Who, Readonly<Record<Figure, number>>>>> {
  return {
    id: `${who}-${figure}`,
    what,
    unit,
    comparison: "absolute",
    goal,
    limit,
    read: (figures) => ({ measured: figures[who][figure] / scale }),
  };
}

/** Of clients that keep a document. */
function clientRows(
  who: "devices" | "stock",
  name: string,
  { cpu, goal }: { readonly cpu: string; readonly goal: NonNullable<RowParts["goal"]> },
): readonly RowOf<ComingBackFigures>[] {
  return [
    row(who, "cpuMs", `${name}, CPU`, { unit: "ms", goal, limit: cpu }),
    row(who, "againCpuMs", "the same, once the program's code is compiled", {
      unit: "ms",
      goal,
      limit: "As above.",
    }),
    row(who, "memoryBytes", "memory for each", {
      unit: "KiB",
      scale: 1_024,
      limit: "The connection.",
    }),
    row(who, "residentBytes", "memory of the process, all there", {
      unit: "MB",
      scale: 1_000_000,
      goal: upTo(FEW, atMost(250)),
      limit: "Node.js and the program itself take 100 of it.",
    }),
    row(who, "opened", "outlines opened for them", {
      unit: "",
      goal: always(atMost(0)),
      limit: "What was missed comes from the log.",
    }),
    row(who, "waitP50Ms", "until half of them have all, by the clock", {
      unit: "ms",
      limit: "All come at once; the other core is the clients'.",
    }),
    row(who, "waitP99Ms", "until 99 % have", { unit: "ms", limit: "As above." }),
  ];
}

/** What a restart costs; the numbers above the columns are users. */
export const COMING_BACK_ROWS = benchGroup({
  name: "coming-back",
  title: "Coming back after a restart, by the number of users",
  sizes: [300, 1_000],
  measure: (users) => measureComingBack(users),
  rows: [
    ...clientRows("devices", "a device that misses nothing", {
      cpu: "The handshake, the key, and a read of where the log ends.",
      goal: always(atMost(2)),
    }),
    ...clientRows("stock", "a client of y-websocket that misses nothing", {
      cpu: "The same, its state vector beside that of the log, and all deletions, sent both ways.",
      goal: noGoal,
    }),
    row("readers", "cpuMs", "a program that reads by REST, CPU", {
      unit: "ms",
      limit: "Opening an outline of 1,500 nodes with three edits each.",
    }),
    row("readers", "memoryBytes", "memory for each", {
      unit: "KiB",
      scale: 1_024,
      limit: "The open outline.",
    }),
    row("readers", "waitP50Ms", "until half of them are answered, by the clock", {
      unit: "ms",
      limit: "Outlines are opened four at a time, in the order in which they are asked for.",
    }),
    row("readers", "waitP99Ms", "until 99 % are", { unit: "ms", limit: "As above." }),
  ],
});
