import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BenchGroup, Figure } from "./bench-group.ts";
import { loadNow } from "./machine.ts";
import type { MeasureAnswer, MeasureTask } from "./measure-process.ts";
import { type MeasuredRow, measuredRow } from "./measured-row.ts";

const SCRIPT = fileURLToPath(new URL("measure-process.ts", import.meta.url));

/** A million nodes in two replicas at once. */
const HEAP_MB = 14_000;

/** Nothing takes longer, unless it hangs. */
const MOST_MS = 30 * 60_000;

function measureOnce(task: MeasureTask): Promise<MeasureAnswer> {
  return new Promise((resolve, reject) => {
    const child = fork(SCRIPT, {
      execArgv: ["--import", "tsx", "--expose-gc", `--max-old-space-size=${HEAP_MB}`],
    });
    const timer = setTimeout(() => child.kill(), MOST_MS);
    child.once("message", (answer: MeasureAnswer) => resolve(answer));
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`${task.group} ended with ${code ?? signal}`));
    });
    child.send(task);
  });
}

/** Measures all rows of a group at one size, in as many rounds as it asks for. */
export async function measure(group: BenchGroup, nodes: number): Promise<readonly MeasuredRow[]> {
  const situation = { at: new Date().toISOString(), load: loadNow() };
  const answers: MeasureAnswer[] = [];
  for (let round = 0; round < group.rounds(nodes); round++) {
    answers.push(await measureOnce({ group: group.name, nodes }));
  }
  const outline = nodes === 0 ? "" : nodes.toLocaleString("en");
  return group.rows.flatMap((row) => {
    const figures = answers.flatMap((answer): Figure[] => {
      const figure = answer[row.id];
      return figure === undefined ? [] : [figure];
    });
    return figures.length === 0 ? [] : [measuredRow(row, { outline, nodes }, figures, situation)];
  });
}
