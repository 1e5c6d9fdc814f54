import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { builtProgram } from "../../support/built-program.ts";
import type { SoakTask } from "../soak-row.ts";
import type { SeedReport } from "./report-of-seed.ts";

/** Seeds of a row, by their places in it. */
export interface SeedBatch {
  readonly of: "simulation" | "cluster";
  readonly first: number;
  readonly from: number;
  readonly to: number;
}

/** What a process takes on: it is some minutes old at most when it ends. */
export const SEEDS_OF_A_PROCESS = 100;

const PROGRAM = builtProgram("seed-process.ts", import.meta.url);
const LOOK_EVERY_MS = 1000;

/** Runs a row of seeds batch by batch, in as many processes as there are cores, until the time is up. */
export class SeedProcesses {
  /** Processes that ended before their batch did, and the seeds that nothing is known of. */
  readonly failures: string[] = [];
  readonly #task: SoakTask;
  readonly #onReport: (report: SeedReport) => void;
  readonly #of: SeedBatch["of"];
  readonly #perProcess: number;
  readonly #children = new Set<ChildProcess>();
  #isTimeUp = false;
  #next = 0;
  #done = 0;

  constructor(
    task: SoakTask,
    onReport: (report: SeedReport) => void,
    { of, perProcess = SEEDS_OF_A_PROCESS }: { of: SeedBatch["of"]; perProcess?: number },
  ) {
    this.#task = task;
    this.#onReport = onReport;
    this.#of = of;
    this.#perProcess = perProcess;
  }

  async run(): Promise<void> {
    const watch = setInterval(() => this.#watch(), LOOK_EVERY_MS);
    try {
      await Promise.all(Array.from({ length: availableParallelism() }, () => this.#work()));
    } finally {
      clearInterval(watch);
      this.#stop();
    }
  }

  #watch(): void {
    if (this.#task.goesOn(this.#done)) return;
    this.#isTimeUp = true;
    this.#stop();
  }

  #stop(): void {
    for (const child of this.#children) child.kill("SIGKILL");
  }

  /** One process after the other. */
  async #work(): Promise<void> {
    const { amount, seed } = this.#task;
    while (!this.#isTimeUp && this.#next < amount) {
      const from = this.#next;
      this.#next = Math.min(amount, from + this.#perProcess);
      await this.#runBatch({ of: this.#of, first: seed, from, to: this.#next });
    }
  }

  async #runBatch(batch: SeedBatch): Promise<void> {
    let place = batch.from;
    const child = fork(PROGRAM, [JSON.stringify(batch)], {
      // What a seed makes is soon of no use: room for it saves an eighth of the time.
      execArgv: ["--max-semi-space-size=32"],
      // Yjs prints a line for each client id that a page gives up.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#children.add(child);
    child.on("message", (report: SeedReport) => {
      place += 1;
      this.#done += 1;
      this.#onReport(report);
    });
    // What it has told last may come behind its end, but not behind that of the channel.
    const [[code, signal]] = await Promise.all([once(child, "exit"), once(child, "disconnect")]);
    this.#children.delete(child);
    if (place === batch.to || this.#isTimeUp) return;
    const seeds = `${batch.first + place} to ${batch.first + batch.to - 1}`;
    this.failures.push(`seeds ${seeds}: their process ended with ${signal ?? code} in the first`);
  }
}
