import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { builtProgram } from "../../support/built-program.ts";
import type { AttackedServer } from "./attacked-server.ts";

export interface NeighboursRole {
  /** As in `ws://host:port/sync/me`. */
  readonly url: string;
  readonly key: string;
  readonly serverPid: number;
}

/** Milliseconds from a keystroke until the other device had it. */
export interface Waits {
  readonly count: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly worstMs: number;
}

/** Two devices of another user, which type while somebody attacks the server. */
export class Neighbours {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async beside(server: AttackedServer): Promise<Neighbours> {
    const role: NeighboursRole = {
      url: `${server.url.replace("http", "ws")}/sync/me`,
      key: await server.ask({ kind: "user", name: "neighbour" }),
      serverPid: server.pid,
    };
    const child = fork(builtProgram("neighbours-process.ts", import.meta.url));
    child.send(role);
    await answerOf(child);
    return new Neighbours(child);
  }

  /**
   * Ends, and says how long they waited: for the server's work or by the wall clock, whichever is
   * less. Undefined when a keystroke has not arrived.
   */
  async stop(): Promise<Waits | undefined> {
    if (!this.#child.connected) return undefined;
    this.#child.send("stop");
    const answer = await answerOf(this.#child).catch(() => undefined);
    this.end();
    if (answer === undefined) return undefined;
    const sorted = (answer as readonly number[]).toSorted((one, other) => one - other);
    const at = (part: number): number =>
      Math.round(10 * (sorted[Math.floor(part * (sorted.length - 1))] ?? 0)) / 10;
    return { count: sorted.length, medianMs: at(0.5), p99Ms: at(0.99), worstMs: at(1) };
  }

  /** Ends at once. */
  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const { signal } = ended;
  const exit = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`the neighbours ended with ${code}: a keystroke got lost`);
  });
  exit.catch(() => undefined);
  try {
    const [answer] = (await Promise.race([once(child, "message", { signal }), exit])) as [unknown];
    return answer;
  } finally {
    ended.abort();
  }
}
