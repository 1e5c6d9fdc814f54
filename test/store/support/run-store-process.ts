import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { builtProgram } from "../../support/built-program.ts";

const SCRIPT = builtProgram("store-process.ts", import.meta.url);

export interface StoreProcess {
  readonly pid: number;
  /** Everything said so far. */
  readonly said: readonly unknown[];
  /** Resolves when `condition` holds for what was said, and rejects when the process ends before. */
  until(condition: (said: readonly unknown[]) => boolean): Promise<void>;
  /** Ends the process without a word, and waits until it is gone. */
  kill(): Promise<void>;
  /** The exit code, once everything it said has been read. */
  readonly ended: Promise<number | null>;
}

/** Starts `store-process.ts`; `prefix` is a command that runs it. */
export function runStoreProcess(
  args: readonly string[],
  prefix: readonly string[] = [],
): StoreProcess {
  const [command = "", ...rest] = [...prefix, process.execPath, SCRIPT, ...args];
  const child = spawn(command, rest, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const said: unknown[] = [];
  lines.on("line", (line) => said.push(JSON.parse(line)));
  const read = once(lines, "close");
  const ended = once(child, "exit").then(async ([code]: (number | null)[]) => {
    await read;
    return code ?? null;
  });
  return {
    pid: child.pid ?? 0,
    said,
    ended,
    async until(condition) {
      let isOver = false;
      const over = ended.then(() => (isOver = true));
      while (!condition(said)) {
        if (isOver) throw new Error(`the process ended after ${JSON.stringify(said.at(-1))}`);
        await Promise.race([once(lines, "line"), over]);
      }
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
