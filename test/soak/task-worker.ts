import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";

/** What a process of tasks is asked, by name: what goes in, and what comes out. */
export type Tasks = Readonly<Record<string, readonly [input: unknown, output: unknown]>>;

export type TaskHandlers<T extends Tasks> = {
  readonly [Name in keyof T]: (input: T[Name][0]) => Promise<T[Name][1]>;
};

interface Question {
  readonly id: number;
  readonly task: string;
  readonly input: unknown;
}

interface Answer {
  readonly id: number;
  readonly output?: unknown;
  readonly failure?: string;
}

/**
 * A process of its own, so that its event loop and its memory are its own too. It ends with the
 * process that made it, and does not keep that one from ending.
 */
export class TaskWorker<T extends Tasks> {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #ended: string | undefined;

  /** @param file a program that calls `serveTasks` */
  constructor(file: string) {
    this.#child = fork(file);
    this.#child.on("message", ({ id, output, failure }: Answer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#child.channel?.unref();
      if (failure === undefined) waiting?.resolve(output as never);
      else waiting?.reject(new Error(failure));
    });
    this.#child.once("exit", (code, signal) => {
      this.#ended = `a worker ended with ${code ?? signal}`;
      for (const { reject } of this.#waiting.values()) reject(new Error(this.#ended));
      this.#waiting.clear();
    });
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /** How it ended, in words; undefined while it runs. */
  get ended(): string | undefined {
    return this.#ended;
  }

  ask<Name extends keyof T & string>(task: Name, input: T[Name][0]): Promise<T[Name][1]> {
    if (this.#ended !== undefined) return Promise.reject(new Error(this.#ended));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.channel?.ref();
      this.#child.send({ id, task, input } satisfies Question);
    });
  }

  /** Its thread gets the processor when others leave it. @param niceness from 0 to 19 */
  giveWay(niceness: number): void {
    if (this.#child.pid !== undefined) setPriority(this.#child.pid, niceness);
  }

  /** Ends at once, with whatever is under way. */
  async kill(): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#child.ref();
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }
}

interface Waiting {
  // The output of the task that was asked for.
  readonly resolve: (output: never) => void;
  readonly reject: (error: Error) => void;
}

/** Does tasks for the process that made this one, until that ends. */
export function serveTasks<T extends Tasks>(handlers: TaskHandlers<T>): void {
  process.on("message", ({ id, task, input }: Question) => {
    const handler = handlers[task];
    void (handler?.(input) ?? Promise.reject(new Error(`no task ${task}`))).then(
      (output) => process.send?.({ id, output } satisfies Answer),
      (error: unknown) => {
        const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
        process.send?.({ id, failure } satisfies Answer);
      },
    );
  });
  process.on("disconnect", () => process.exit());
}
