import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** Against what hangs: a busy machine may take long. */
const START_MS = 60_000;

/**
 * Runs a program in a group of processes of its own, and ends all of the group when the program ends,
 * or when nobody holds the other end of its input any more, in whatever way this process went.
 */
const KEEPER = `{ "$@"; kill -KILL 0; } & cat > /dev/null; kill -KILL 0`;

export interface ProcessStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * What it says when it has started; the group named `said` is what is answered. Without it, a
   * program is taken to have started that has a process.
   */
  readonly ready?: RegExp;
}

/** A program with all that it starts: none of them outlives it, nor this process. */
export class BrowserProcess {
  readonly #keeper: ChildProcess;
  /** What it has said about being ready. */
  said = "";

  private constructor(keeper: ChildProcess) {
    this.#keeper = keeper;
  }

  /** Resolves when it says that it is ready; rejects with all that it said when it ends before. */
  static async start({ command, args, environment, ready }: ProcessStart): Promise<BrowserProcess> {
    const keeper = spawn("sh", ["-c", KEEPER, "sh", command, ...args], {
      detached: true,
      stdio: "pipe",
      env: { ...process.env, ...environment },
    });
    const started = new BrowserProcess(keeper);
    try {
      if (ready === undefined) await once(keeper, "spawn");
      else started.said = await started.#whenReady(ready);
      return started;
    } catch (error) {
      await started.stop();
      throw new Error(`${command} does not start`, { cause: error });
    }
  }

  #whenReady(ready: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      let output = "";
      const listen = (chunk: Buffer): void => {
        output += chunk.toString();
        const match = ready.exec(output);
        if (match !== null) resolve(match.groups?.["said"] ?? "");
      };
      this.#keeper.stdout?.on("data", listen);
      this.#keeper.stderr?.on("data", listen);
      this.#keeper.once("error", reject);
      this.#keeper.once("exit", () => reject(new Error(`it has ended: ${output}`)));
      const late = (): void => reject(new Error(`it is not ready: ${output}`));
      void delay(START_MS, undefined, { ref: false }).then(late);
    });
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode, pid } = this.#keeper;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const ended = once(this.#keeper, "exit");
    this.#keeper.stdin?.end();
    await ended;
  }
}
