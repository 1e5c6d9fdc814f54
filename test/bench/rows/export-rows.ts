import { benchGroup, upTo } from "../bench-group.ts";
import { benchExport, type ExportFigures } from "../export.ts";
import { atLeast, atMost } from "../goal.ts";

type Compared = ExportFigures["cpuMs"];

const LARGE = 100_000;

function figure({ service, floor }: Compared) {
  return { measured: service, floor };
}

/** The whole outline over the API, from the built server in a process of its own. */
export const EXPORT_ROWS = benchGroup({
  name: "export",
  title: "Export of everything",
  sizes: [LARGE],
  measure: (nodes) => benchExport(nodes),
  rows: [
    {
      id: "export-cpu",
      what: "export, CPU of the server",
      unit: "ms",
      comparison: "cost",
      goal: upTo(LARGE, atLeast(0.5)),
      floor: "JSON.stringify of the same objects, in one go",
      limit:
        "250 nodes at a time are rendered straight into JSON text, with a turn for others between; what is left is reading each text once.",
      read: ({ cpuMs }) => figure(cpuMs),
    },
    {
      id: "export-whole",
      what: "until its last byte was read, by the clock",
      unit: "ms",
      comparison: "absolute",
      goal: upTo(LARGE, atMost(1000)),
      nextGoal: atMost(400),
      floor: "as above",
      limit: "The same, and the socket.",
      read: ({ wholeMs }) => figure(wholeMs),
    },
    {
      id: "export-stall",
      what: "longest stall of the event loop meanwhile, by the clock",
      unit: "ms",
      comparison: "absolute",
      goal: upTo(LARGE, atMost(50)),
      nextGoal: atMost(25),
      floor: "as above",
      limit: "One slice of 250 nodes; then the garbage collector.",
      read: ({ stallMs }) => figure(stallMs),
    },
  ],
});
