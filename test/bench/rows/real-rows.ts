import { benchGroup, noGoal, type RowOf } from "../bench-group.ts";
import { measureRealInput, REAL_OUTLINES, type RealStep } from "../real-input.ts";

function cpuOf(step: string, what: string): RowOf<readonly RealStep[]> {
  return {
    id: `real-${step.replaceAll(" ", "-")}`,
    what: `${what}, CPU of the server`,
    unit: "ms",
    comparison: "absolute",
    goal: noGoal,
    limit: "",
    read(steps) {
      const found = steps.find((each) => each.step === step);
      return found && { measured: found.cpuMs };
    },
  };
}

/** Two real outlines, through the command and the API of the built server. */
export const REAL_ROWS = benchGroup<readonly RealStep[]>({
  name: "real",
  title: "Real outlines: a public list of 3,526 lines, a dictionary of 82,192 nodes",
  sizes: Object.values(REAL_OUTLINES),
  measure: measureRealInput,
  rows: [
    cpuOf("import", "import by the command (markdown; OPML)"),
    cpuOf("list", "list of the top level"),
    cpuOf("move", "move of a whole subtree"),
    cpuOf("complete", "completion"),
    cpuOf("export", "export over the API"),
    cpuOf("import again", "import of that export by the command"),
    cpuOf("check", "check of both outlines, by the command"),
    cpuOf("backup", "backup, by the command"),
    {
      id: "real-stall",
      what: "longest stall of the event loop in any of these, by the clock",
      unit: "ms",
      comparison: "absolute",
      goal: noGoal,
      limit: "",
      read: (steps) => ({
        measured: Math.max(...steps.map(({ longestStallMs }) => longestStallMs)),
      }),
    },
    {
      id: "real-resident",
      what: "most resident memory of the server, both copies open",
      unit: "MB",
      comparison: "absolute",
      goal: noGoal,
      limit: "Both outlines, and what V8 has not collected yet.",
      read: (steps) => ({ measured: Math.max(...steps.map(({ rssMb }) => rssMb)) }),
    },
  ],
});
