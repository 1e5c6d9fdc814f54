import { always, benchGroup, noGoal, type RowOf } from "../bench-group.ts";
import { type ComingBackFigures, measureComingBack, type StormFigures } from "../coming-back.ts";
import { atMost, type Goal } from "../goal.ts";

const MIB = 2 ** 20;

type Who = keyof ComingBackFigures;

function row(
  who: Who,
  figure: keyof StormFigures,
  what: string,
  { unit, goal, scale = 1, limit }: { unit: string; goal?: Goal; scale?: number; limit: string },
): RowOf<ComingBackFigures> {
  return {
    id: `${who}-${figure}`,
    what,
    unit,
    comparison: "absolute",
    goal: goal === undefined ? noGoal : always(goal),
    limit,
    read: (figures) => ({ measured: figures[who][figure] / scale }),
  };
}

/** What a restart costs; the numbers above the columns are users. */
export const COMING_BACK_ROWS = benchGroup({
  name: "coming-back",
  title: "Coming back after a restart, by the number of users",
  sizes: [300, 1_000],
  measure: (users) => measureComingBack(users),
  rows: [
    row("devices", "cpuMs", "a device that misses nothing, CPU", {
      unit: "ms",
      goal: atMost(2),
      limit: "The handshake, the key, and a read of where the log ends.",
    }),
    row("devices", "memoryBytes", "memory for each", {
      unit: "KiB",
      scale: 1_024,
      limit: "The connection.",
    }),
    row("devices", "residentBytes", "memory of the process, all there", {
      unit: "MiB",
      scale: MIB,
      limit: "Node.js and the program itself take 100 of it.",
    }),
    row("devices", "opened", "outlines opened for them", {
      unit: "",
      goal: atMost(0),
      limit: "What was missed comes from the log.",
    }),
    row("devices", "waitP50Ms", "until half of them have all, by the clock", {
      unit: "ms",
      limit: "All come at once; the other core is the devices'.",
    }),
    row("devices", "waitP99Ms", "until 99 % have", { unit: "ms", limit: "As above." }),
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
