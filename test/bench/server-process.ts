import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { builtProgram } from "../support/built-program.ts";

/** What the parent may ask a server process, besides telling it its role. */
export type Question = "cpu" | "heap";

/**
 * A server of a benchmark in a process of its own, so that what it costs can be told from what its
 * clients cost. Servers are scripts of this folder that call `serveBench`. They are built as the
 * program is: what runs sources names each function anew whenever it is made.
 */
export class ServerProcess<Listening> {
  readonly #child: ChildProcess;
  readonly listening: Listening;

  private constructor(child: ChildProcess, listening: Listening) {
    this.#child = child;
    this.listening = listening;
  }

  /** @param script of this folder, as in `./name.ts` @param role what `serveBench` gets */
  static async start<Listening, Role extends object>(
    script: string,
    role: Role,
  ): Promise<ServerProcess<Listening>> {
    const child = fork(builtProgram(script, import.meta.url), {
      execArgv: ["--expose-gc", "--max-old-space-size=8192"],
    });
    child.send(role);
    const [listening] = (await once(child, "message")) as [Listening];
    return new ServerProcess(child, listening);
  }

  /** Processor milliseconds that it has used, all its threads together. */
  cpuMs(): Promise<number> {
    return this.#ask("cpu");
  }

  /** Bytes on its heap after a collection. */
  heapBytes(): Promise<number> {
    return this.#ask("heap");
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill();
    await ended;
  }

  async #ask(question: Question): Promise<number> {
    this.#child.send(question);
    const [answer] = (await once(this.#child, "message")) as [number];
    return answer;
  }
}

/**
 * The other side: starts what the parent asks for, says where it listens, and answers
 * questions. It ends with the parent, however that ends.
 */
export function serveBench<Role extends object, Listening>(
  start: (role: Role) => Promise<Listening>,
): void {
  process.once("disconnect", () => process.exit());
  process.on("message", (message: Role | Question) => {
    if (message === "cpu") {
      const { user, system } = process.cpuUsage();
      process.send?.((user + system) / 1000);
    } else if (message === "heap") {
      globalThis.gc?.();
      globalThis.gc?.();
      process.send?.(process.memoryUsage().heapUsed);
    } else {
      void start(message).then((listening) => process.send?.(listening));
    }
  });
}
